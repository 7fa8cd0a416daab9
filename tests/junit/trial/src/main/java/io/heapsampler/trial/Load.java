// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.util.ArrayDeque;

/** Allocates and computes until its parent process ends: a neighbour of the JVM on trial. */
public final class Load {

    private static final int KEPT = 10_000;

    /** Arrays between two looks at the parent. */
    private static final int BATCH = 1_000_000;

    private Load() {}

    /** Runs it. */
    public static void main(String[] args) {
        ArrayDeque<byte[]> kept = new ArrayDeque<>();
        ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
        long sum = 0;
        while (parent.isAlive()) {
            for (int i = 0; i < BATCH; i++) {
                byte[] some = new byte[1_000 + (int) (sum & 1023)];
                kept.add(some);
                sum += some.length * 31L ^ sum >>> 3;
                if (kept.size() > KEPT) {
                    sum += kept.poll()[0];
                }
            }
        }
        System.out.println(sum);
    }
}
