// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/** Requests in flight: each object lives until as many others have come. */
final class Ring implements Program {

    private final Object[] inFlight;
    private final int size;
    private final int restEvery;

    private Ring(int length, int size, int restEvery) {
        this.inFlight = new Object[length];
        this.size = size;
        this.restEvery = restEvery;
    }

    Ring(int length, int size) {
        this(length, size, Integer.MAX_VALUE);
    }

    /** The same where collectors that work beside the application keep up with it. */
    static Ring resting(int length, int size) {
        return new Ring(length, size, 128);
    }

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        for (int i = 0; running.getAsBoolean(); i++) {
            inFlight[i % inFlight.length] = new byte[size];
            if (i % restEvery == restEvery - 1) {
                Thread.sleep(1);
            }
        }
    }
}
