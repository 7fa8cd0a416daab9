// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/**
 * Whether a tool really samples, and how many bytes lie between two samples. Arguments: the tool; an
 * interval.
 */
final class PeersFork {

    private static final int OBJECTS = 200_000;
    private static final int BYTES = 1024;
    private static final int KEPT = 20_000; // a power of two would meet too many old ones

    private static final Object[] kept = new Object[KEPT];

    private PeersFork() {}

    public static void main(String[] arguments) throws Exception {
        Tool tool = Tool.Kind.of(arguments[0]).create();
        tool.start(Integer.parseInt(arguments[1]));
        allocate();
        long before = tool.samples();
        for (int i = 0; i < 4; i++) {
            allocate();
        }
        double samples = tool.samples() - before;
        System.gc();
        tool.stop();
        Fork.answer("bytes_per_sample", samples == 0 ? 0 : 4.0 * OBJECTS * (BYTES + 16) / samples);
        Fork.answer("found", tool.found());
        Fork.answer("kept", kept.length);
    }

    private static void allocate() {
        for (int i = 0; i < OBJECTS; i++) {
            kept[i % KEPT] = new byte[BYTES];
        }
    }
}
