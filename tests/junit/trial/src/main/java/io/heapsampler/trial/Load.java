// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.util.ArrayDeque;

/** Allocates and computes for an hour, or until it is ended: a neighbour of the JVM on trial. */
public final class Load {

    private static final int KEPT = 10_000;
    private static final long NANOS = 3_600_000_000_000L;

    private Load() {}

    /** Runs it. */
    public static void main(String[] args) {
        ArrayDeque<byte[]> kept = new ArrayDeque<>();
        long start = System.nanoTime();
        long sum = 0;
        while (System.nanoTime() - start < NANOS) {
            byte[] some = new byte[1_000 + (int) (sum & 1023)];
            kept.add(some);
            sum += some.length * 31L ^ sum >>> 3;
            if (kept.size() > KEPT) {
                sum += kept.poll()[0];
            }
        }
        System.out.println(sum);
    }
}
