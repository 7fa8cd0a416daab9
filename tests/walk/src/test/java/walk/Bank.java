// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;

/** H2: transfers between the accounts of a bank, the sum of which stays what it was. */
final class Bank implements Scenario {

    private static final int ACCOUNTS = 2_000;
    private static final int TRANSFERS = 100;

    private final SplittableRandom random = new SplittableRandom(331);
    private final Connection connection;
    private final PreparedStatement update;

    Bank() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:walk");
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account(id INT PRIMARY KEY, bal INT NOT NULL)");
            statement.execute(
                    "INSERT INTO account SELECT x, 100 FROM SYSTEM_RANGE(1, " + ACCOUNTS + ")");
        }
        connection.setAutoCommit(false);
        update = connection.prepareStatement("UPDATE account SET bal = bal + ? WHERE id = ?");
    }

    @Override
    public void round() throws SQLException {
        for (int i = 0; i < TRANSFERS; i++) {
            int amount = random.nextInt(100);
            add(-amount);
            add(amount);
            connection.commit();
        }
        if (sum() != 100L * ACCOUNTS) {
            throw new IllegalStateException("money was lost");
        }
    }

    private void add(int amount) throws SQLException {
        update.setInt(1, amount);
        update.setInt(2, 1 + random.nextInt(ACCOUNTS));
        update.executeUpdate();
    }

    private long sum() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT SUM(bal) FROM account")) {
            result.next();
            return result.getLong(1);
        }
    }
}
