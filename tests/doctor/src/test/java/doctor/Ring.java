// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.function.BooleanSupplier;

/** Requests in flight: each object lives until as many others have come. */
final class Ring implements Program {

    private final Object[] inFlight;
    private final int size;

    Ring(int length, int size) {
        this.inFlight = new Object[length];
        this.size = size;
    }

    @Override
    public void run(BooleanSupplier running) {
        for (int i = 0; running.getAsBoolean(); i++) {
            inFlight[i % inFlight.length] = new byte[size];
        }
    }
}
