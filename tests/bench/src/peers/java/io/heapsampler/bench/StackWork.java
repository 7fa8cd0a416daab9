// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Allocates small objects at the bottom of deep stacks: always the same ones, or never the same one
 * twice. {@code work} adds as few frames of its own as it can.
 */
final class StackWork implements Workload {

    private static final int STACKS = 50;
    private static final int OBJECTS_PER_STACK = 100;
    private static final int FRESH_STACKS = 250;

    private static final int PATTERN_STEP = 40_503; // odd: spreads the patterns over their bits

    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);

    private final DeepCalls calls;
    private final boolean isFresh;

    /**
     * Made anew by the thread that works, in its own part of the heap: two sinks side by side would
     * have one cache line, and one card, for which threads that do nothing else would wait.
     */
    private Object[] sink = {};
    private int stacks;

    /** Works with the same stacks each time, this many calls deep. */
    static StackWork same(int levels) {
        return new StackWork(levels, false);
    }

    /** Works with new stacks each time, this many calls deep, until there are no more. */
    static StackWork fresh(int levels) {
        return new StackWork(levels, true);
    }

    private StackWork(int levels, boolean isFresh) {
        this.isFresh = isFresh;
        this.calls = DeepCalls.ofLevels(levels, this::allocate);
    }

    private void allocate() {
        for (int i = isFresh ? 1 : OBJECTS_PER_STACK; i > 0; i--) {
            ELEMENT.setOpaque(sink, 0, new byte[16]);
        }
    }

    /** Objects that a call of {@code work} allocates on fresh stacks, one on each. */
    static int freshObjects() {
        return FRESH_STACKS;
    }

    @Override
    public void work() {
        sink = new Object[1];
        int first = isFresh ? stacks : 0;
        int end = first + (isFresh ? FRESH_STACKS : STACKS);
        for (int i = first; i < end; i++) {
            calls.call(i * PATTERN_STEP);
        }
        stacks = end;
    }
}
