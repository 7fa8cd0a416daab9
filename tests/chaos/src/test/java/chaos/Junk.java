// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Allocation of all sorts, some of which stays alive for a while. */
final class Junk {

    private static final int KEPT = 256;
    private static final AtomicReferenceArray<Object> RING = new AtomicReferenceArray<>(KEPT);

    private Junk() {}

    /** Allocates about as many objects, from different depths. */
    static void make(SplittableRandom random, int objects) {
        for (int i = 0; i < objects; i++) {
            down(random.nextInt(12), random);
        }
    }

    private static void down(int depth, SplittableRandom random) {
        if (depth > 0) {
            down(depth - 1, random);
            return;
        }
        keep(random.nextInt(KEPT), one(random));
    }

    private static Object one(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> new byte[random.nextInt(4_000)];
            case 1 -> new Object[random.nextInt(50)];
            case 2 -> String.valueOf(random.nextLong());
            case 3 -> new int[2][random.nextInt(20)];
            case 4 -> new long[random.nextInt(30)].clone();
            default -> new Object();
        };
    }

    static void keep(int slot, Object object) {
        RING.setRelease(slot % KEPT, object);
    }

    static void forget() {
        for (int i = 0; i < KEPT; i++) {
            RING.setRelease(i, null);
        }
    }
}
