// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/**
 * Calls its way down through four methods with four call sites each, so that every pattern of two
 * bits per level is a stack of its own, and runs something at the bottom.
 */
final class DeepCalls {

    private final Runnable bottom;
    private final int levels;

    private DeepCalls(int levels, Runnable bottom) {
        this.levels = levels;
        this.bottom = bottom;
    }

    /**
     * Returns calls at whose bottom the stack has the given depth.
     *
     * @param depth frames, those of the caller and of {@code bottom} included
     * @param probe calls the given calls in the way that they will be called later
     */
    static DeepCalls ofDepth(
            int depth, Runnable bottom, java.util.function.Consumer<DeepCalls> probe) {
        int[] measured = new int[1];
        Runnable measuring = () -> measured[0] = new Throwable().getStackTrace().length;
        probe.accept(new DeepCalls(1, measuring));
        return new DeepCalls(1 + depth - measured[0], bottom);
    }

    /** Returns calls that go down this many levels before they run something. */
    static DeepCalls ofLevels(int levels, Runnable bottom) {
        return new DeepCalls(levels, bottom);
    }

    /** Goes down; patterns differ in as many of their lower bits as twice the levels. */
    void call(int pattern) {
        north(levels, pattern);
    }

    private void north(int left, int pattern) {
        if (left == 1) {
            bottom.run();
            return;
        }
        switch (pattern & 3) {
            case 0 -> north(left - 1, pattern >>> 2);
            case 1 -> east(left - 1, pattern >>> 2);
            case 2 -> south(left - 1, pattern >>> 2);
            default -> west(left - 1, pattern >>> 2);
        }
    }

    private void east(int left, int pattern) {
        if (left == 1) {
            bottom.run();
            return;
        }
        switch (pattern & 3) {
            case 0 -> east(left - 1, pattern >>> 2);
            case 1 -> south(left - 1, pattern >>> 2);
            case 2 -> west(left - 1, pattern >>> 2);
            default -> north(left - 1, pattern >>> 2);
        }
    }

    private void south(int left, int pattern) {
        if (left == 1) {
            bottom.run();
            return;
        }
        switch (pattern & 3) {
            case 0 -> south(left - 1, pattern >>> 2);
            case 1 -> west(left - 1, pattern >>> 2);
            case 2 -> north(left - 1, pattern >>> 2);
            default -> east(left - 1, pattern >>> 2);
        }
    }

    private void west(int left, int pattern) {
        if (left == 1) {
            bottom.run();
            return;
        }
        switch (pattern & 3) {
            case 0 -> west(left - 1, pattern >>> 2);
            case 1 -> north(left - 1, pattern >>> 2);
            case 2 -> east(left - 1, pattern >>> 2);
            default -> south(left - 1, pattern >>> 2);
        }
    }
}
