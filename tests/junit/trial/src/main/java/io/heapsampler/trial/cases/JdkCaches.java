// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Caches that are full, and those that the collector empties. */
@NoLeaks
@Known(Truth.CLEAN)
class JdkCaches {

    private static final class Bounded<V> extends LinkedHashMap<String, V> {
        private final int most;

        Bounded(int most) {
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > most;
        }
    }

    private static final class Tracked extends WeakReference<Object> {
        Tracked(Object object) {
            super(object, DEAD);
        }
    }

    private static final ReferenceQueue<Object> DEAD = new ReferenceQueue<>();
    private static final Set<Tracked> TRACKED = Collections.synchronizedSet(new HashSet<>());
    private static final Map<String, byte[]> SMALL = new Bounded<>(100);
    private static final Map<String, byte[]> LARGE = new Bounded<>(5_000);
    private static final Cache<String, byte[]> GUAVA =
            CacheBuilder.newBuilder().maximumSize(100).concurrencyLevel(1).build();
    private static final ArrayBlockingQueue<byte[]> RING = new ArrayBlockingQueue<>(64);
    private static final Map<Object, byte[]> WEAK = new WeakHashMap<>();
    private static final Map<Integer, byte[]> BY_SLOT = new HashMap<>();
    private static final Map<String, String> MEMO = new ConcurrentHashMap<>();
    private static final ThreadLocal<byte[]> LAST = new ThreadLocal<>();
    private static final Map<Integer, SoftReference<byte[]>> SOFT = new HashMap<>();
    private static SoftReference<List<byte[]>> softList = new SoftReference<>(new ArrayList<>());
    private static final byte[][] WHEEL = new byte[32][];
    private static int turns;

    static {
        for (int i = 0; i < 6_000; i++) {
            SMALL.put(Unique.name(), new byte[500]);
            LARGE.put(Unique.name(), new byte[50]);
            GUAVA.put(Unique.name(), new byte[500]);
            RING.offer(new byte[500]);
            WHEEL[i % WHEEL.length] = new byte[100];
        }
    }

    @Test
    void fullCacheOf100() {
        SMALL.put(Unique.name(), new byte[500]);
    }

    @Test
    void fullCacheOf5000() {
        LARGE.put(Unique.name(), new byte[50]);
    }

    @Test
    void fullGuavaCache() {
        GUAVA.put(Unique.name(), new byte[500]);
    }

    @Test
    void fullQueue() {
        RING.poll();
        RING.offer(new byte[500]);
    }

    @Test
    void wheelOfArrays() {
        WHEEL[turns++ % WHEEL.length] = new byte[100];
    }

    @Test
    void weakMap() {
        WEAK.put(new Object(), new byte[100]);
    }

    @Test
    void weakReferencesWithAQueue() {
        TRACKED.add(new Tracked(new byte[100]));
        for (Object dead = DEAD.poll(); dead != null; dead = DEAD.poll()) {
            TRACKED.remove((Tracked) dead);
        }
    }

    @Test
    void replacedValue() {
        BY_SLOT.put(7, new byte[2_000]);
    }

    @Test
    void memoOfOneKey() {
        MEMO.computeIfAbsent("key", key -> key + Unique.name());
    }

    @Test
    void replacedThreadLocal() {
        LAST.set(new byte[2_000]);
    }

    @Test
    void softValuesOfFewKeys() {
        SOFT.put(turns++ % 16, new SoftReference<>(new byte[200]));
    }

    /** The list goes when memory runs out; then another begins. */
    @Test
    @Known(Truth.SOFT)
    void softList() {
        List<byte[]> list = softList.get();
        if (list == null) {
            list = new ArrayList<>();
            softList = new SoftReference<>(list);
        }
        list.add(new byte[500]);
    }
}
