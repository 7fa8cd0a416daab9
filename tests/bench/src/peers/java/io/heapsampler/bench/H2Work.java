// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.sql.SQLException;

/** Transfers of a bank. */
final class H2Work implements Workload {

    private final Bank bank = new Bank();

    H2Work() throws SQLException {}

    @Override
    public void work() throws SQLException {
        bank.work();
    }

    @Override
    public void end() throws SQLException {
        bank.close();
    }
}
