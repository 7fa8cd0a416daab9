// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/** Code that calls System.gc() after each batch. */
final class ExplicitGc implements Program {

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        while (running.getAsBoolean()) {
            batch();
            cleanUp();
            Thread.sleep(20);
        }
    }

    private static void batch() {
        for (int i = 0; i < 2000; i++) {
            Sink.last = new byte[1024];
        }
    }

    private static void cleanUp() {
        System.gc();
    }
}
