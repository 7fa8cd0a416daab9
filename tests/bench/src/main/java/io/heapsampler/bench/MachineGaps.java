// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/**
 * How long the machine itself keeps a thread from going on that does nothing but read the clock: no
 * object, no call of ours. What a callback is late by beyond that may be ours. Arguments: seconds.
 */
final class MachineGaps {

    private static final long LONG_NANOS = 100_000;
    private static final int WARM_UP_SECONDS = 1;

    private int tooLong;
    private long longest;

    private MachineGaps() {}

    public static void main(String[] arguments) {
        int seconds = Integer.parseInt(arguments[0]);
        new MachineGaps().watch(WARM_UP_SECONDS);
        MachineGaps gaps = new MachineGaps();
        gaps.watch(seconds);
        Fork.answer("over_100us_per_second", (double) gaps.tooLong / seconds);
        Fork.answer("longest_us", gaps.longest / 1e3);
    }

    private void watch(int seconds) {
        long last = System.nanoTime();
        long end = last + seconds * 1_000_000_000L;
        while (last < end) {
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            tooLong += now - last > LONG_NANOS ? 1 : 0;
            last = now;
        }
    }
}
