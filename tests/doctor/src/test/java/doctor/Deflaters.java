// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.zip.Deflater;

/**
 * Two threads that compress, and two that allocate. While a deflater works on an array, it holds
 * the array in a critical section of JNI.
 */
final class Deflaters implements Program {

    private final int size;

    Deflaters(int size) {
        this.size = size;
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
        }
    }

    private static void allocate(BooleanSupplier running) {
        while (running.getAsBoolean()) {
            Sink.last = new byte[2048];
        }
    }
}
