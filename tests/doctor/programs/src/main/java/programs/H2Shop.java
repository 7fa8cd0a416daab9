// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Orders in a database in memory. Arguments: seconds, orders per second. */
final class H2Shop {

    private static final int ORDERS = 20_000;

    private H2Shop() {}

    public static void main(String... args) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:shop")) {
            connection
                    .createStatement()
                    .execute("create table orders(id int primary key, user_id int, text varchar)");
            connection.createStatement().execute("create index by_user on orders(user_id)");
            Pace.of(args).at(Double.parseDouble(args[1]), number -> order(connection, number));
        }
    }

    private static void order(Connection connection, int number) throws SQLException {
        try (PreparedStatement insert =
                        connection.prepareStatement("merge into orders values(?, ?, ?)");
                PreparedStatement query =
                        connection.prepareStatement("select * from orders where user_id = ?")) {
            insert.setInt(1, number % ORDERS);
            insert.setInt(2, number % 1_000);
            insert.setString(3, Garbage.text(500));
            insert.executeUpdate();
            query.setInt(1, number * 7 % 1_000);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    Garbage.sink = rows.getString("text");
                }
            }
        }
    }
}
