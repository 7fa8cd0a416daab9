// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** One entry more in a collection of the JDK, each time; some of objects that exist before. */
@NoLeaks
@Known(Truth.LEAK)
class MoreJdkLeaks {

    /** Facts need more. */
    private static final String[] KEYS = new String[Integer.getInteger("trial.keys", 2_000)];

    static {
        for (int i = 0; i < KEYS.length; i++) {
            KEYS[i] = "key " + i;
        }
    }

    private static final Map<String, String> HASHED = new HashMap<>();
    private static final Map<String, String> CONCURRENT = new ConcurrentHashMap<>();
    private static final Map<String, String> SORTED = new TreeMap<>();
    private static final Map<String, String> BY_USE = new LinkedHashMap<>(16, 0.75f, true);
    private static final Map<Object, String> BY_IDENTITY = new IdentityHashMap<>();
    private static final List<String> LISTED = new ArrayList<>();
    private static final List<String> LINKED = new LinkedList<>();
    private static final List<Runnable> COPIED = new CopyOnWriteArrayList<>();
    private static final Queue<String> DEQUE = new ArrayDeque<>();
    private static final Queue<String> BY_PRIORITY = new PriorityQueue<>();
    private static final Queue<String> WAITING = new ConcurrentLinkedQueue<>();
    private static final List<WeakReference<Object>> WEAK = new ArrayList<>();
    private static final Timer TIMER = new Timer(true);
    private static final ObjectOutputStream SENT;
    private static int next;

    static {
        try {
            SENT = new ObjectOutputStream(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static String key() {
        return KEYS[next++];
    }

    @Test
    void hashMap() {
        HASHED.put(key(), "");
    }

    @Test
    void concurrentHashMap() {
        CONCURRENT.put(key(), "");
    }

    @Test
    void treeMap() {
        SORTED.put(key(), "");
    }

    @Test
    void linkedHashMapWithoutBound() {
        BY_USE.put(key(), "");
    }

    @Test
    void identityHashMap() {
        BY_IDENTITY.put(key(), "");
    }

    @Test
    void arrayList() {
        LISTED.add(key());
    }

    @Test
    void linkedList() {
        LINKED.add(key());
    }

    @Test
    void copyOnWriteList() {
        COPIED.add(new byte[1]::clone);
    }

    @Test
    void arrayDeque() {
        DEQUE.add(key());
    }

    @Test
    void priorityQueue() {
        BY_PRIORITY.add(key());
    }

    @Test
    void concurrentLinkedQueue() {
        WAITING.add(key());
    }

    @Test
    void weakReferencesThatAreNeverRemoved() {
        WEAK.add(new WeakReference<>(new Object()));
    }

    @Test
    void threadLocalWhoseValueHoldsIt() {
        ThreadLocal<Object> local = new ThreadLocal<>();
        local.set(new Object[] {local});
    }

    @Test
    void timerTaskOfAnotherDay() {
        TIMER.schedule(
                new TimerTask() {
                    @Override
                    public void run() {}
                },
                100_000_000L);
    }

    @Test
    void objectStreamThatIsNeverReset() throws IOException {
        SENT.writeObject(Unique.name());
    }
}
