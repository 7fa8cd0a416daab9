// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** Transfers between accounts of an H2 database in memory. */
final class Bank implements AutoCloseable {

    private static final int ACCOUNTS = 20_000;
    private static final int BALANCE = 1_000;
    private static final int TRANSFERS = 200;

    private final Random random = new Random(1);
    private final Connection connection = DriverManager.getConnection("jdbc:h2:mem:");

    Bank() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, balance bigint)");
            statement.execute(
                    "insert into account select x, "
                            + BALANCE
                            + " from system_range(0, "
                            + (ACCOUNTS - 1)
                            + ")");
        }
        connection.setAutoCommit(false);
    }

    /** Makes some transfers and checks that no money was lost. */
    void work() throws SQLException {
        try (PreparedStatement move =
                connection.prepareStatement(
                        "update account set balance = balance + ? where id = ?")) {
            for (int i = 0; i < TRANSFERS; i++) {
                int amount = random.nextInt(100);
                add(move, amount);
                add(move, -amount);
                connection.commit();
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet sum = statement.executeQuery("select sum(balance) from account")) {
            sum.next();
            if (sum.getLong(1) != (long) ACCOUNTS * BALANCE) {
                throw new IllegalStateException("the bank is out of balance: " + sum.getLong(1));
            }
        }
    }

    private void add(PreparedStatement move, int amount) throws SQLException {
        move.setInt(1, amount);
        move.setInt(2, random.nextInt(ACCOUNTS));
        move.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
