// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.lang.StackWalker.StackFrame;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The chains of assertions that one test has begun and that have no verdict yet. A chain belongs to
 * the test that is bound to the thread in which it begins. In other threads it belongs to the test
 * that is under way, if tests run one after the other; else nothing is kept. Safe for use by many
 * threads.
 */
public final class OpenChains {

    /** A chain of assertions. Safe for use by many threads. */
    public static final class Chain {

        /** One that belongs to no test. */
        public static final Chain NONE = new Chain(null, "", Optional.empty());

        private final @Nullable OpenChains test;
        private final String verdicts;
        private final Optional<StackFrame> place;

        private Chain(@Nullable OpenChains test, String verdicts, Optional<StackFrame> place) {
            this.test = test;
            this.verdicts = verdicts;
            this.place = place;
        }

        /** It has a verdict, or has thrown; returns whether it has not had one before. */
        public boolean judged() {
            return test != null && test.open.remove(this);
        }

        /** It has none after all. */
        public void reopen() {
            if (test != null) {
                test.add(this);
            }
        }

        private String text() {
            return "The assertion at "
                    + place.map(OpenChains::text).orElse("an unknown place")
                    + " ends without a verdict: end it with "
                    + verdicts
                    + ".";
        }
    }

    /** More than these say nothing new; a test that makes millions shall not fill the heap. */
    private static final int MOST = 100;

    private static final String[] BETWEEN = {
        "io.heapsampler.assertions.", "io.heapsampler.assertj.", "org.assertj.", "java.", "jdk."
    };

    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final ThreadLocal<@Nullable OpenChains> BOUND = new ThreadLocal<>();

    /** Tests under way: threads look for theirs only if there are any. */
    private static final AtomicInteger TESTS = new AtomicInteger();

    /** Those beside which no other runs, except inside of them: the last one is the innermost. */
    private static final List<OpenChains> ALONE = new CopyOnWriteArrayList<>();

    private final Set<Chain> open = Collections.synchronizedSet(new LinkedHashSet<>());
    private boolean isClosed;

    private OpenChains() {}

    /**
     * Begins a test; to be closed.
     *
     * @param isAlone whether no other test runs meanwhile, so that all threads work for this one
     */
    public static OpenChains ofTest(boolean isAlone) {
        TESTS.incrementAndGet();
        OpenChains test = new OpenChains();
        if (isAlone) {
            ALONE.add(test);
        }
        return test;
    }

    /**
     * Begins a chain.
     *
     * @param verdicts methods that end it
     */
    public static Chain begin(String verdicts) {
        OpenChains test = TESTS.get() == 0 ? null : ofThread();
        return test == null ? Chain.NONE : test.chain(verdicts);
    }

    private static @Nullable OpenChains ofThread() {
        OpenChains bound = BOUND.get();
        if (bound != null) {
            return bound;
        }
        OpenChains innermost = null;
        for (OpenChains each : ALONE) {
            innermost = each;
        }
        return innermost;
    }

    private Chain chain(String verdicts) {
        Optional<StackFrame> place =
                WALKER.walk(frames -> frames.filter(OpenChains::isCaller).findFirst());
        Chain chain = new Chain(this, verdicts, place);
        add(chain);
        return chain;
    }

    /** Without the names of loader and module that the JVM adds. */
    private static String text(StackFrame frame) {
        return KotlinLines.corrected(
                        new StackTraceElement(
                                frame.getClassName(),
                                frame.getMethodName(),
                                frame.getFileName(),
                                frame.getLineNumber()))
                .toString();
    }

    private static boolean isCaller(StackFrame frame) {
        String name = frame.getClassName();
        for (String prefix : BETWEEN) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return !name.equals(OpenChains.class.getName());
    }

    private void add(Chain chain) {
        synchronized (open) {
            if (!isClosed && open.size() < MOST) {
                open.add(chain);
            }
        }
    }

    /**
     * Binds this test to the calling thread; returns what was bound before, for {@link #rebind}.
     */
    public @Nullable OpenChains bind() {
        return rebind(this);
    }

    /** Binds a test, or none, to the calling thread; returns what was bound before. */
    public static @Nullable OpenChains rebind(@Nullable OpenChains test) {
        OpenChains before = BOUND.get();
        if (test == null) {
            BOUND.remove();
        } else {
            BOUND.set(test);
        }
        return before;
    }

    /**
     * Ends the test.
     *
     * @return a text for each chain without a verdict, in the order in which they began
     */
    public List<String> close() {
        synchronized (open) {
            if (!isClosed) {
                isClosed = true;
                TESTS.decrementAndGet();
                ALONE.remove(this);
            }
            List<String> texts = open.stream().map(Chain::text).distinct().toList();
            open.clear();
            return texts;
        }
    }
}
