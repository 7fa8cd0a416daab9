// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Works under {@link Debugger}, which sets the flags here; the amount is the seconds at most. A
 * debugger may suspend a thread in the middle of a sample: stop and start wait for it, but not
 * forever.
 */
public final class Debugged implements Scenario {

    private static final int OBJECTS = 200;

    /** Set by the debugger when it is done. */
    @SuppressWarnings("NonFinalStaticField")
    private static volatile boolean isEnough;

    @SuppressWarnings("NonFinalStaticField")
    private static long steps;

    @Override
    public String run(long amount) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(amount);
        try (Crew crew = new Crew()) {
            for (int i = 0; i < 2; i++) {
                SplittableRandom random = new SplittableRandom(i);
                crew.repeat("stepper " + i, () -> step(random));
            }
            crew.repeat("switcher", Debugged::onAndOff);
            System.out.println("ready to be debugged");
            while (!isEnough && !crew.hasFailed() && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(5_000_000);
            }
        }
        if (!isEnough) {
            throw new IllegalStateException("no debugger came, or it did not end");
        }
        return "steps=" + steps;
    }

    /** Has a breakpoint now and then. */
    static void step(SplittableRandom random) {
        steps++;
        Junk.make(random, OBJECTS);
    }

    private static void onAndOff() {
        HeapSampler.stop();
        HeapSampler.start();
        Control.check(HeapSampler.snapshot());
    }
}
