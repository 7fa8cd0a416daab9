// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Messages that are larger than a region of 1 MB, 35 of them at a time. */
final class Humongous implements Program {

    private final Deque<byte[]> messages = new ArrayDeque<>();
    private final SplittableRandom random = new SplittableRandom(7);

    @Override
    public void run(BooleanSupplier running) {
        while (running.getAsBoolean()) {
            messages.add(new byte[(1280 << 10) - random.nextInt(2048)]);
            if (messages.size() > 35) {
                messages.poll();
            }
            for (int k = 0; k < 50; k++) {
                Sink.last = new byte[1024];
            }
        }
    }
}
