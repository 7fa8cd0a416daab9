// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/**
 * A cache that is filled once and stays as it is: all of it is promoted, and rightly so. The rest
 * is garbage, in an application that has time left.
 */
final class FilledOnce implements Program {

    private final byte[][] entries;
    private final int size;

    FilledOnce(int length, int size) {
        this.entries = new byte[length][];
        this.size = size;
    }

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        for (int i = 0; running.getAsBoolean(); i++) {
            if (i < entries.length) {
                entries[i] = new byte[size];
            }
            Sink.last = new byte[1024 + entries[i % entries.length].length / size];
            if (i % 64 == 63) {
                Thread.sleep(1);
            }
        }
    }
}
