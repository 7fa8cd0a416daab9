// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.LabelEngine;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps sets and states as the engine in C does, and counts calls. */
final class FakeLabelEngine implements LabelEngine {

    private static final long WORD = (1L << 52) - 1;

    final Map<Thread, Long> states = new ConcurrentHashMap<>();
    private final Map<Long, String> sets = new TreeMap<>();
    private long lastWord = OTHER;

    volatile boolean isThere = true;
    int room = 1_000_000;
    int added;
    int opened;
    boolean lastWasVirtual;

    /** Thrown by {@link #close} in place of its work, if it is set. */
    @Nullable Error failure;

    @Override
    public boolean isThere() {
        return isThere;
    }

    @Override
    public synchronized long add(byte[] labels) {
        added++;
        String text = new String(labels, StandardCharsets.UTF_8).replace('\0', '|');
        if (sets.size() >= room) {
            return -3;
        }
        lastWord++;
        sets.put(lastWord, text);
        return lastWord;
    }

    @Override
    public synchronized void remove(long word) {
        sets.remove(word);
    }

    synchronized int size() {
        return sets.size();
    }

    /** Returns what a sample of a thread would get: the bytes of its set, with bars for zeros. */
    synchronized String labelsOf(Thread thread) {
        long word = states.getOrDefault(thread, 0L) & WORD;
        return word == 0 ? "" : word == OTHER ? "(other)" : sets.getOrDefault(word, "");
    }

    @Override
    public long open(Thread current, boolean isVirtual, long word) {
        if (current != Thread.currentThread()) {
            throw new IllegalArgumentException("not the current thread");
        }
        opened++;
        lastWasVirtual = isVirtual;
        long previous = states.getOrDefault(current, 0L);
        states.put(current, (previous >>> 52) + 1 << 52 | word);
        return previous;
    }

    @Override
    public void close(Thread current, boolean isVirtual, long previous) {
        if (current != Thread.currentThread()) {
            throw new IllegalArgumentException("not the current thread");
        }
        if (failure != null) {
            throw failure;
        }
        if (states.getOrDefault(current, 0L) >>> 52 > previous >>> 52) {
            states.put(current, previous);
        }
    }
}
