// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.zip.Deflater;

/**
 * Two threads that compress, and two that allocate. While a deflater works on an array, it holds
 * the array in a critical section of JNI.
 */
final class Deflaters implements Program {

    /** Arrays that are allocated before a thread rests. */
    private static final int BATCH = 128;

    private static final long REST_NANOS = 1_000_000;

    private final int size;
    private final boolean rests;

    private Deflaters(int size, boolean rests) {
        this.size = size;
        this.rests = rests;
    }

    /** Large arrays, and collections that have to wait for each, because no thread ever rests. */
    static Deflaters large() {
        return new Deflaters(4 << 20, false);
    }

    /** Small ones, as of a service that keeps no processor busy all the time. */
    static Deflaters small() {
        return new Deflaters(8 << 10, true);
    }

    @Override
    public void run(BooleanSupplier running) throws Exception {
        Crew.work(
                4,
                number -> {
                    if (number % 2 == 0) {
                        compress(running);
                    } else {
                        allocate(running);
                    }
                });
    }

    private void compress(BooleanSupplier running) {
        byte[] in = new byte[size];
        new Random(9).nextBytes(in);
        byte[] out = new byte[size + size / 4 + 64];
        while (running.getAsBoolean()) {
            Deflater deflater = new Deflater(9);
            deflater.setInput(in);
            deflater.finish();
            while (!deflater.finished()) {
                deflater.deflate(out);
            }
            deflater.end();
            rest();
        }
    }

    private void allocate(BooleanSupplier running) {
        while (running.getAsBoolean()) {
            for (int i = 0; i < BATCH; i++) {
                Sink.last = new byte[2048];
            }
            rest();
        }
    }

    private void rest() {
        if (rests) {
            LockSupport.parkNanos(REST_NANOS);
        }
    }
}
