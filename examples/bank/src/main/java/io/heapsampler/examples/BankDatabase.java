// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * A bank in an H2 database in memory: random transfers between accounts, the sum of which must stay
 * what it was.
 */
final class BankDatabase implements AutoCloseable {

    private static final int ACCOUNTS = 20_000;
    private static final int START_BALANCE = 1_000;
    private static final int TRANSFERS = 200;
    private static final long SUM = (long) ACCOUNTS * START_BALANCE;

    private final Random random = new Random(331);
    private final SessionCache sessions;
    private final Connection connection;
    private final PreparedStatement update;

    /** Creates the accounts. */
    BankDatabase(SessionCache sessions) throws SQLException {
        this.sessions = sessions;
        this.connection = DriverManager.getConnection("jdbc:h2:mem:bank");
        createAccounts();
        connection.setAutoCommit(false);
        this.update = connection.prepareStatement("UPDATE account SET bal = bal + ? WHERE id = ?");
    }

    private void createAccounts() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account(id INT PRIMARY KEY, bal INT NOT NULL)");
            statement.execute(
                    "INSERT INTO account SELECT x, "
                            + START_BALANCE
                            + " FROM SYSTEM_RANGE(1, "
                            + ACCOUNTS
                            + ")");
        }
    }

    /** Makes 200 transfers, checks the sum, and returns how many transfers that were. */
    int run() throws SQLException {
        for (int i = 0; i < TRANSFERS; i++) {
            int from = 1 + random.nextInt(ACCOUNTS);
            int to = 1 + random.nextInt(ACCOUNTS);
            int amount = 1 + random.nextInt(100);
            sessions.open(from, to);
            add(from, -amount);
            add(to, amount);
            connection.commit();
        }
        long sum = sum();
        if (sum != SUM) {
            throw new IllegalStateException("the balances sum up to " + sum + ", not to " + SUM);
        }
        return TRANSFERS;
    }

    private void add(int account, int amount) throws SQLException {
        update.setInt(1, amount);
        update.setInt(2, account);
        if (update.executeUpdate() != 1) {
            throw new IllegalStateException("there is no account " + account);
        }
    }

    private long sum() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT SUM(bal) FROM account")) {
            result.next();
            return result.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
