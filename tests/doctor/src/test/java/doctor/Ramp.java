// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Much garbage, and a working set that grows to 120 MB and stays there. */
final class Ramp implements Program {

    private static final int MOST = 60_000;

    private final List<byte[]> kept = new ArrayList<>(MOST);

    @Override
    public void run(BooleanSupplier running) {
        for (int i = 0; running.getAsBoolean(); i++) {
            Sink.last = new byte[2048];
            if ((i & 31) == 0 && kept.size() < MOST) {
                kept.add(new byte[2048]);
            }
        }
    }
}
