// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Faulty: a gauge reads {@code MEMORY_USED()} of H2 twice a second, and H2 calls {@code
 * System.gc()} before it answers.
 */
public final class H2MemoryGauge {

    private static final int ORDERS_A_SECOND = 500;

    private static final int STORED = 40_000;

    private static long used;

    private final HikariDataSource pool;

    private H2MemoryGauge(HikariDataSource pool) {
        this.pool = pool;
    }

    private void order(int number) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement merge =
                        connection.prepareStatement("MERGE INTO orders VALUES(?, ?, ?)")) {
            merge.setInt(1, number % STORED);
            merge.setString(2, "customer " + number + " of " + "somewhere ".repeat(12));
            merge.setInt(3, number);
            merge.executeUpdate();
        }
    }

    private long gauge() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("CALL MEMORY_USED()")) {
            row.next();
            return row.getLong(1);
        }
    }

    public static void main(String... args) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop");
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE orders(id INT PRIMARY KEY, name VARCHAR, n INT)");
            }
            H2MemoryGauge shop = new H2MemoryGauge(pool);
            Load.at(
                    ORDERS_A_SECOND,
                    args,
                    number -> {
                        shop.order(number);
                        if (number % (ORDERS_A_SECOND / 2) == 0) {
                            used = shop.gauge();
                        }
                    });
            System.out.println("used " + used + " KB");
        }
    }
}
