// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Sessions of four workers: each new one takes the place of another, whichever it is. */
final class Sessions implements Program {

    private static final int WORKERS = 4;

    private final byte[][] sessions;
    private final int restEvery;

    private Sessions(int sessions, int restEvery) {
        this.sessions = new byte[sessions][];
        this.restEvery = restEvery;
    }

    /** As fast as it goes. */
    static Sessions hurried(int sessions) {
        return new Sessions(sessions, Integer.MAX_VALUE);
    }

    /** With a rest now and then. */
    static Sessions resting(int sessions) {
        return new Sessions(sessions, 256);
    }

    @Override
    public void run(BooleanSupplier running) throws Exception {
        Crew.work(WORKERS, number -> work(number, running));
    }

    private void work(int number, BooleanSupplier running) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(number);
        for (int i = 1; running.getAsBoolean(); i++) {
            sessions[random.nextInt(sessions.length)] = new byte[1024 + random.nextInt(8192)];
            if (i % restEvery == 0) {
                Thread.sleep(20);
            }
        }
    }
}
