// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/** Places that keep things. */
final class Sink {

    static volatile Object last;

    static volatile int number;

    static final List<Object> LEAK = new ArrayList<>();

    /** Grows by one node for each element. */
    static final List<Object> CHAIN = new LinkedList<>();

    static final Map<Integer, Object> CACHE = new TreeMap<>();

    private Sink() {}

    /** Allocates this many arrays of 1,016 bytes. */
    static void kilobytes(int count) {
        for (int i = 0; i < count; i++) {
            last = new byte[1000];
        }
    }

    /** Runs code in a new thread, and waits for it. */
    static void join(ThrowingRunnable code) throws Throwable {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                code.run();
                            } catch (Throwable e) {
                                thrown.set(e);
                            }
                        });
        thread.start();
        thread.join();
        if (thrown.get() != null) {
            throw thrown.get();
        }
    }

    static void forget() {
        last = null;
        LEAK.clear();
        CHAIN.clear();
        CACHE.clear();
    }
}
