// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.LabelEngine;
import io.heapsampler.internal.LabelText;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The sets of labels of this copy of the classes: one {@link HeapLabels} for each content, held
 * weakly, and the words by which the engine knows them. A set is added to the engine when it is
 * first opened, and removed some time after its {@code HeapLabels} has died. Safe for use by many
 * threads.
 */
final class LabelRegistry {

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Dead sets that one call removes; many more than the one set that it may add. */
    static final int MOST_AT_ONCE = 256;

    private final LabelEngine engine;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();
    private final ReferenceQueue<HeapLabels> dead = new ReferenceQueue<>();

    /** When a set may be added again after there was no room; 0 while there is room. */
    private final AtomicLong retryAt = new AtomicLong();

    LabelRegistry(LabelEngine engine, LongSupplier nanoTime) {
        this.engine = engine;
        this.nanoTime = nanoTime;
    }

    /** What stays of a set that has died, so that it can be removed. */
    static final class Entry extends WeakReference<HeapLabels> {

        private final String text;

        /** By which the engine knows it; 0: not at all. Written under the lock of this. */
        private volatile long word;

        Entry(HeapLabels labels, String text, ReferenceQueue<HeapLabels> dead) {
            super(labels, dead);
            this.text = text;
        }
    }

    LabelEngine engine() {
        return engine;
    }

    /** Returns how many sets are held, those that have died since the last look included. */
    int size() {
        return entries.size();
    }

    /** Returns the set with one checked label. */
    HeapLabels of(String key, String value) {
        removeDead();
        String text = LabelText.of(key, value);
        Entry known = entries.get(text);
        HeapLabels labels = known == null ? null : known.get();
        return labels != null ? labels : intern(HeapLabels.copyOf(key, value), text);
    }

    /** Returns the set with checked labels; takes over the map. */
    HeapLabels of(SortedMap<String, String> labels) {
        removeDead();
        return intern(labels, LabelText.of(labels));
    }

    private HeapLabels intern(SortedMap<String, String> labels, String text) {
        HeapLabels made = new HeapLabels(this, labels, text, dead);
        Entry entry = made.entry();
        while (true) {
            Entry known = entries.putIfAbsent(text, entry);
            HeapLabels same = known == null ? made : known.get();
            if (same != null) {
                return same;
            }
            entries.remove(text, known);
        }
    }

    /** Some of them: a caller that makes one set must not wait for a million others. */
    private void removeDead() {
        for (int i = 0; i < MOST_AT_ONCE; i++) {
            Entry entry = (Entry) dead.poll();
            if (entry == null) {
                return;
            }
            entries.remove(entry.text, entry);
            if (entry.word != 0) {
                engine.remove(entry.word);
            }
        }
    }

    /**
     * Returns the word of a set whose {@code HeapLabels} the caller holds: {@link
     * LabelEngine#OTHER} while there is no room for it, in which case it is tried again, but one
     * set a second.
     */
    long word(Entry entry) {
        long word = entry.word;
        return word != 0 ? word : add(entry);
    }

    private long add(Entry entry) {
        long retry = retryAt.get();
        if (retry != 0) {
            long now = nanoTime.getAsLong();
            if (now - retry < 0 || !retryAt.compareAndSet(retry, later(now))) {
                return LabelEngine.OTHER;
            }
        }
        removeDead();
        synchronized (entry) {
            if (entry.word == 0) {
                long word = engine.add(LabelText.bytes(entry.text));
                retryAt.set(word > 0 ? 0 : later(nanoTime.getAsLong()));
                if (word <= 0) {
                    return LabelEngine.OTHER;
                }
                entry.word = word;
            }
            return entry.word;
        }
    }

    /** Never 0. */
    private static long later(long now) {
        return (now + RETRY_NANOS) | 1;
    }
}
