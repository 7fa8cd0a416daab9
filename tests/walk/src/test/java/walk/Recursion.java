// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.SplittableRandom;

/** Recursion through several methods and call sites, beyond any limit on depth. */
final class Recursion implements Scenario {

    private static final int DIVES = 20;

    private final SplittableRandom random = new SplittableRandom(128);
    private final int deepest;

    Recursion(int deepest) {
        this.deepest = deepest;
    }

    @Override
    public void round() {
        for (int i = 0; i < DIVES; i++) {
            // Few ways, so that they come again; each depth, so that every cut is met.
            long way = random.nextInt(4) * 0x9E3779B97F4A7C15L;
            down(1 + random.nextInt(deepest), way);
        }
    }

    private static int down(int depth, long way) {
        if (depth == 0) {
            Sink.last = new Object();
            return 0;
        }
        int below;
        if ((way & 1) == 0) {
            below = straight(depth - 1, Long.rotateRight(way, 1));
        } else {
            below = askew(depth - 1, Long.rotateRight(way, 3), new Object());
        }
        if ((depth & 15) == 0) {
            Sink.last = new int[below & 3];
        }
        return below + 1;
    }

    private static int straight(int depth, long way) {
        if (depth == 0) {
            return down(0, way);
        }
        int below = (way & 2) == 0 ? down(depth - 1, way) : straight(depth - 1, way >>> 2);
        if ((depth & 31) == 7) {
            Sink.last = new Object();
        }
        return below + 1;
    }

    private static int askew(int depth, long way, Object passed) {
        Sink.last = passed;
        return depth == 0 ? down(0, way) : down(depth - 1, way ^ depth) + 1;
    }
}
