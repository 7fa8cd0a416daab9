// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.SplittableRandom;

/**
 * Interpreted and compiled frames by turns: methods that are never compiled, and callees with more
 * arguments than fit into registers, whose adapters move the caller's stack pointer.
 */
final class Mixed implements Scenario {

    /** Never compiled are those whose names begin so. */
    static final String EXCLUDE = "-XX:CompileCommand=exclude,walk.Mixed::slow*";

    private static final int DIVES = 300;
    private static final int DEPTH = 18;

    private final SplittableRandom random = new SplittableRandom(21);

    @Override
    public void round() {
        for (int i = 0; i < DIVES; i++) {
            fast(DEPTH, random.nextInt(256) * 0x0101_0101_0101_0101L);
        }
    }

    private static double fast(int depth, long way) {
        Sink.last = new Object();
        if (depth == 0) {
            return way;
        }
        long rest = way >>> 2;
        return switch ((int) (way & 3)) {
            case 0 -> fast(depth - 1, rest) + new int[depth].length;
            case 1 -> slow(depth - 1, rest);
            case 2 -> slowWide(1, 2L, 3f, 4d, "5", 6, depth - 1, 8L, 9d, 10, rest, 12);
            default -> wide(depth - 1, 2L, 3f, 4d, 5d, 6d, 7d, 8d, 9d, 10d, 11d, rest);
        };
    }

    private static double slow(int depth, long way) {
        Sink.last = new int[3];
        double below = fast(depth, way);
        Sink.last = new int[4];
        return below;
    }

    private static double slowWide(
            int a,
            long b,
            float c,
            double d,
            String e,
            int f,
            int depth,
            long h,
            double i,
            int j,
            long way,
            int l) {
        Sink.last = new Object[] {e};
        return a + b + c + d + f + h + i + j + l + fast(depth, way);
    }

    private static double wide(
            int depth,
            long b,
            float c,
            double d,
            double e,
            double f,
            double g,
            double h,
            double i,
            double j,
            double k,
            long way) {
        double below = slow(depth == 0 ? 0 : depth - 1, way);
        Sink.last = new double[] {b, c, d, e, f, g, h, i, j, k};
        return below;
    }
}
