// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.function.LongFunction;

/** Loops that allocate. Copies are loaded anew, to go through the whole life of compiled code. */
public final class Loops implements LongFunction<Object> {

    private int turns;

    /** For {@link Loader#make}. */
    public Loops() {}

    /** Stays in the loop for as many turns: its code is replaced under its feet. */
    @Override
    public Object apply(long count) {
        Object last = null;
        for (int i = 0; i < count; i++) {
            if ((i & 15) == 0) {
                last = inner(i & 7);
            } else {
                Sink.last = new int[i & 3];
            }
            if ((i & 127) == 5) {
                last = inner(3);
            }
            turns++;
        }
        return last;
    }

    private Object inner(int length) {
        for (int i = 0; i < length; i++) {
            Sink.last = new Object[length];
            if (turns % 3 == i) {
                Sink.last = leaf(i);
            }
        }
        return leaf(length);
    }

    private static Object leaf(int length) {
        return length > 2 ? new byte[length] : new Object();
    }
}
