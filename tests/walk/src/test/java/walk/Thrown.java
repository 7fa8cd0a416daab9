// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.SplittableRandom;

/** Exceptions that leave sampled frames, compiled or not, locked or not. */
final class Thrown implements Scenario {

    private static final int DIVES = 300;
    private static final int DEPTH = 20;

    private final SplittableRandom random = new SplittableRandom(404);

    @Override
    public void round() {
        for (int i = 0; i < DIVES; i++) {
            try {
                down(1 + random.nextInt(DEPTH), random.nextLong());
            } catch (RuntimeException e) {
                Sink.last = e.getStackTrace();
            }
        }
    }

    private int down(int depth, long way) {
        try {
            if (depth == 0) {
                return fail(way);
            }
            return switch ((int) (way & 3)) {
                case 0 -> locked(depth - 1, way >>> 2);
                case 1 -> caught(depth - 1, way >>> 2);
                default -> down(depth - 1, way >>> 2) + 1;
            };
        } finally {
            Sink.last = new Object();
        }
    }

    private synchronized int locked(int depth, long way) {
        Sink.last = new Object();
        synchronized (Sink.class) {
            return down(depth, way) + 1;
        }
    }

    private int caught(int depth, long way) {
        try {
            return down(depth, way);
        } catch (Surfacing | ArithmeticException | ClassCastException e) {
            Sink.last = new Object[] {e};
            if ((way & 4) == 0) {
                throw e;
            }
            return depth;
        }
    }

    /** The JVM throws some of these itself, out of compiled code. */
    private static int fail(long way) {
        Sink.last = new int[1];
        return switch ((int) (way & 7)) {
            case 0 -> throw Surfacing.INSTANCE;
            case 1 -> 7 / (int) (way & 7 & 6);
            case 2 -> ((String) Sink.last).length();
            case 3 -> new int[2][(int) (way & 7)].length / new int[0].length;
            case 4 -> throw new IllegalStateException("thrown");
            default -> new Object[2].length;
        };
    }
}
