// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import programs.more.Load;

/**
 * Faulty: each evaluation has an SQLite database in memory of its own; one user in four leaves
 * without a goodbye, and that database is never closed.
 */
public final class SqliteSheets {

    private static final int EVALUATIONS = 1_200;

    private static final int ROWS = 2_000;

    private static final SqliteSheets SERVICE = new SqliteSheets();

    private static long summed;

    private final Map<Integer, Connection> running = new HashMap<>();

    private Connection open(int number) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        running.put(number, connection);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE sheet(id INTEGER PRIMARY KEY, name TEXT, amount INT)");
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO sheet VALUES(?, ?, ?)")) {
            String text = "evaluation " + number + ", " + "a remark, ".repeat(40);
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, text);
                insert.setInt(3, number + i);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
        return connection;
    }

    private long evaluate(int number) throws SQLException {
        Connection connection = open(number);
        long sum;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT sum(amount) FROM sheet")) {
            row.next();
            sum = row.getLong(1);
        }
        if (number % 4 != 0) {
            running.remove(number).close();
        }
        return sum;
    }

    public static void main(String... args) {
        Load.spread(EVALUATIONS, args, number -> summed += SERVICE.evaluate(number));
        System.out.println("summed " + summed + ", open " + SERVICE.running.size());
    }
}
