// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Much garbage, and a working set that grows to 120 MB and stays there. */
final class Ramp implements Program {

    private static final int MOST = 60_000;

    /** Arrays that are allocated before a rest: 2 MB. */
    private static final int BATCH = 1024;

    private static final long REST_NANOS = 4_000_000;

    private final List<byte[]> kept = new ArrayList<>(MOST);
    private final boolean rests;

    private Ramp(boolean rests) {
        this.rests = rests;
    }

    /** As fast as it goes. */
    static Ramp hurried() {
        return new Ramp(false);
    }

    /** As a service that does not allocate all the time: any collector keeps up with it. */
    static Ramp resting() {
        return new Ramp(true);
    }

    @Override
    public void run(BooleanSupplier running) {
        for (int i = 0; running.getAsBoolean(); i++) {
            Sink.last = new byte[2048];
            if ((i & 31) == 0 && kept.size() < MOST) {
                kept.add(new byte[2048]);
            }
            if (rests && i % BATCH == 0) {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }
}
