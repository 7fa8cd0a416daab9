// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which frames of a stack belong to the measured code, and which to its author. */
final class Frames {

    /** Calls measured code: its callees are the code's. */
    private static final String CALLER = Subject.class.getName();

    /** Keeps account of the cost of an assertion, which one around it does not count. */
    private static final String OVERHEAD = Overhead.class.getName();

    /** Runs such an assertion; other methods of the class are called by each run, and count. */
    private static final String ASSERTION = "ofAssertion";

    /** Measures; allocates between runs, and on behalf of assertions inside of them. */
    private static final String[] HARNESS = {"io.heapsampler.assertions.", "io.heapsampler.junit."};

    /** Runs tests. */
    private static final String ENGINE = "org.junit.platform.engine.";

    /** May lie between the harness and the code. */
    private static final String[] LAUNCHERS = {
        "org.junit.", "java.lang.reflect.", "jdk.internal.reflect.", "java.lang.invoke."
    };

    private Frames() {}

    /**
     * Returns the frames of the measured code, leaf first; null for allocations of the harness. A
     * stack without the harness, that of another thread, is returned whole.
     */
    static @Nullable List<StackTraceElement> ofCode(List<HeapFrame> stack) {
        List<HeapFrame> code = stack;
        if (caller(stack) < stack.size()) {
            List<HeapFrame> run = ofRun(stack);
            code = run == null ? List.of() : withoutLaunchers(run);
            if (code.stream().allMatch(JvmWork::isOfJdk)) {
                return null; // called by the harness: the author's code always has a frame
            }
        }
        return isAnyOfHarness(code)
                ? null
                : code.stream().map(HeapFrame::toStackTraceElement).toList();
    }

    /**
     * Returns the frames of one run, leaf first, with those that lie between the harness and the
     * code; null for allocations of the harness, and if the stack does not show the run.
     */
    static @Nullable List<HeapFrame> ofRun(List<HeapFrame> stack) {
        List<HeapFrame> run = stack.subList(0, caller(stack));
        return !isInRun(stack) || isAnyOfHarness(withoutLaunchers(run)) ? null : run;
    }

    private static boolean isAnyOfHarness(List<HeapFrame> frames) {
        return frames.stream().anyMatch(frame -> startsWith(HARNESS, frame.className()));
    }

    /**
     * Returns the frames of an allocation outside of runs, in another thread; null for allocations
     * of the harness, and if frames are missing.
     */
    static @Nullable List<HeapFrame> ofOtherThread(HeapSite site) {
        boolean isOther = !isCalled(site) && !isCut(site) && ofCode(site.stack()) != null;
        return isOther ? site.stack() : null;
    }

    /** Was this allocated in a run, but not by an assertion inside of it? */
    static boolean isInRun(List<HeapFrame> stack) {
        int called = caller(stack);
        return called < stack.size()
                && stack.subList(0, called).stream()
                        .noneMatch(frame -> JvmWork.is(frame, OVERHEAD, ASSERTION));
    }

    /** Was this allocated in a run, but between the harness and the code? */
    static boolean isOfHarness(List<HeapFrame> stack) {
        List<HeapFrame> run = stack.subList(0, caller(stack));
        return isInRun(stack)
                && run.stream().allMatch(frame -> isBetween(frame) || JvmWork.isOfJdk(frame));
    }

    /** Where measured code is called; the size of the stack if it does not show that. */
    private static int caller(List<HeapFrame> stack) {
        int called = 0;
        while (called < stack.size() && !stack.get(called).className().equals(CALLER)) {
            called++;
        }
        return called;
    }

    private static List<HeapFrame> withoutLaunchers(List<HeapFrame> run) {
        int end = run.size();
        while (end > 0 && isBetween(run.get(end - 1))) {
            end--;
        }
        return run.subList(0, end);
    }

    /** Are frames missing that could be those of the measured code? */
    static boolean isCut(HeapSite site) {
        List<HeapFrame> stack = site.stack();
        return stack.isEmpty() || (site.isTruncated() && !isCalled(site));
    }

    /** Was this allocated in a call of measured code, in whichever thread? */
    static boolean isCalled(HeapSite site) {
        return contains(site.stack(), CALLER);
    }

    /** Was this allocated by a test engine, around the measured code or between its runs? */
    static boolean isOfEngine(HeapSite site) {
        return !isCalled(site)
                && site.stack().stream().anyMatch(frame -> frame.className().startsWith(ENGINE));
    }

    private static boolean contains(List<HeapFrame> frames, String className) {
        return frames.stream().anyMatch(frame -> frame.className().equals(className));
    }

    private static boolean isBetween(HeapFrame frame) {
        return startsWith(LAUNCHERS, frame.className()) || startsWith(HARNESS, frame.className());
    }

    private static boolean startsWith(String[] prefixes, String name) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
