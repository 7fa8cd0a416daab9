// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Loaders that come and go: the next class lies where one that is gone lay, and its methods look
 * the same to a reader of addresses alone. Some stay in the interpreter, some are compiled.
 */
final class Churn implements Scenario {

    private static final int LINKS = 6;
    private static final int LOADERS = 12;
    private static final int COLD_CALLS = 8;
    private static final int HOT_CALLS = 400;

    private final SplittableRandom random = new SplittableRandom(77);

    @Override
    public void round() throws Exception {
        for (int i = 0; i < LOADERS; i++) {
            LongFunction<Object> chain = ClassMaker.loadChain(LINKS, random.nextLong());
            int calls = i % 4 == 0 ? HOT_CALLS : COLD_CALLS;
            for (int call = 0; call < calls; call++) {
                chain.apply(random.nextLong());
            }
        }
        System.gc();
    }
}
