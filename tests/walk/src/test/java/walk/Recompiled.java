// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.Map;
import java.util.function.LongFunction;

/** Code from its first turn in the interpreter to the last compiler, again and again. */
final class Recompiled implements Scenario {

    private static final Map<String, byte[]> CLASSES = Loader.copies(Loops.class);
    private static final int LONG = 3_000;
    private static final int SHORT = 40;
    private static final int SHORT_CALLS = 50;

    @Override
    @SuppressWarnings("unchecked")
    public void round() throws Exception {
        LongFunction<Object> loops =
                new Loader(CLASSES).make(Loops.class.getName(), LongFunction.class);
        loops.apply(LONG); // replaced on the stack
        for (int i = 0; i < SHORT_CALLS; i++) {
            loops.apply(SHORT); // replaced between two calls
        }
    }
}
