// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package shop;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;

/** An application with a leak: code of HeapSampler itself, as its tests have, is not sampled. */
public final class Shelf {

    /** It never grows: a search may pick the array that grew, which counts for five of its size. */
    private static final List<Kept> KEPT = new ArrayList<>(20_000);

    /** Allocated here only. */
    public static final class Kept {}

    private static final List<SoftReference<Kept>> CACHED = new ArrayList<>();

    private Shelf() {}

    /** By a new thread: the step of an old one was drawn by the interval of that time. */
    public static void fill(int count) throws InterruptedException {
        Thread filling = new Thread(() -> add(count));
        filling.start();
        filling.join();
    }

    private static void add(int count) {
        for (int i = 0; i < count; i++) {
            KEPT.add(new Kept());
        }
    }

    /** From now on they are only softly reachable. */
    public static void soften() {
        for (Kept each : KEPT) {
            CACHED.add(new SoftReference<>(each));
        }
        KEPT.clear();
    }

    public static void clear() {
        KEPT.clear();
        CACHED.clear();
    }
}
