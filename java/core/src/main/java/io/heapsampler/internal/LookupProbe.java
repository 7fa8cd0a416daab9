// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Makes stacks of known shapes for the library to walk before it looks stacks up: plain calls, deep
 * ones, calls through interfaces and lambdas, calls that come back from native code. If one of them
 * is not what the JVM says, the library never looks stacks up.
 */
final class LookupProbe {

    private static final int DEPTH = 40;
    private static final Object LOCK = new Object();
    private static boolean isDone;

    private LookupProbe() {}

    /** Tries them all, once in the life of the process. */
    static void run() {
        synchronized (LOCK) {
            if (isDone) {
                return;
            }
            isDone = true;
        }
        NativeBindings.tryLookup();
        descend(DEPTH);
        IntConsumer step = LookupProbe::descend;
        List.of(1, 2, 3).forEach(step::accept);
        reflect();
    }

    /** Calls itself from two places, and the library at the bottom. */
    private static int descend(int depth) {
        if (depth == 0) {
            NativeBindings.tryLookup();
            return 0;
        }
        return depth % 3 == 0 ? descend(depth - 1) + 1 : 1 + descend(depth - 1);
    }

    private static void reflect() {
        try {
            Method method = LookupProbe.class.getDeclaredMethod("descend", int.class);
            method.invoke(null, 2);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a probe of stack lookups failed", e);
        }
    }
}
