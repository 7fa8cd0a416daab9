// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * More hot code than the code cache holds: what has been cold is thrown out, and other code of the
 * same size takes its place. The classes live on, or do not.
 */
final class CodeReuse implements Scenario {

    private static final int LINKS = 6;
    private static final int HOT_CALLS = 300;
    private static final int NEW_CLASSES = 6;
    private static final int OLD_CLASSES = 10;

    private final SplittableRandom random = new SplittableRandom(33);
    private final Deque<LongFunction<Object>> kept = new ArrayDeque<>();
    private final int most;

    /**
     * Prepares the work.
     *
     * @param most how many classes stay loaded
     */
    CodeReuse(int most) {
        this.most = most;
    }

    @Override
    public void round() throws Exception {
        for (int i = 0; i < NEW_CLASSES; i++) {
            LongFunction<Object> chain = ClassMaker.loadChain(LINKS, random.nextLong());
            kept.add(chain);
            heat(chain);
        }
        List<LongFunction<Object>> old = new ArrayList<>(kept);
        for (int i = 0; i < OLD_CLASSES; i++) {
            heat(old.get(random.nextInt(old.size())));
        }
        while (kept.size() > most) {
            kept.remove();
        }
        System.gc();
    }

    private void heat(LongFunction<Object> chain) {
        for (int i = 0; i < HOT_CALLS; i++) {
            chain.apply(random.nextLong());
        }
    }
}
