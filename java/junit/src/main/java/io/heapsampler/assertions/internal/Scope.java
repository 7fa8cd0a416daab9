// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.ThreadScope;
import java.util.ArrayList;
import java.util.List;

/**
 * Which allocations count.
 *
 * @param threads whose
 * @param types Java names of classes; empty for all
 * @param packages packages of those classes, with those below; empty for all
 * @param sites patterns of which one must match a frame; empty for all
 * @param exclude patterns of which none may match the class or a frame
 */
public record Scope(
        ThreadScope threads,
        List<String> types,
        List<String> packages,
        List<Pattern> sites,
        List<Pattern> exclude) {

    /** Puts {@link ThreadScope#TEST} in the place of {@link ThreadScope#DEFAULT}. */
    public Scope {
        threads = threads == ThreadScope.DEFAULT ? ThreadScope.TEST : threads;
    }

    /** Everything in the thread of the test. */
    public static final Scope TEST =
            new Scope(ThreadScope.TEST, List.of(), List.of(), List.of(), List.of());

    /** Is everything in those threads counted? Then the JVM's own count will do. */
    public boolean isWhole() {
        return types.isEmpty() && packages.isEmpty() && sites.isEmpty() && exclude.isEmpty();
    }

    /**
     * Checks that live objects can be counted by thread.
     *
     * @throws IllegalArgumentException if it cannot
     */
    void requireForSurvivors() {
        if (threads == ThreadScope.INHERITED) {
            throw new IllegalArgumentException(
                    "threads = INHERITED is for allocations. Objects that stay alive are summed up"
                            + " by site, whichever thread allocated them. Use TEST or ALL.");
        }
    }

    /**
     * Could frames that are missing change what {@link #accepts} says, or that it is the measured
     * code's at all? A stack without frames leaves that open.
     */
    boolean dependsOnMore(String className, List<StackTraceElement> stack) {
        boolean isExcluded = !mayAccept(className) || Pattern.matchAny(exclude, stack);
        boolean isThere = sites.isEmpty() || Pattern.matchAny(sites, stack);
        return !isExcluded && (stack.isEmpty() || !isThere || !exclude.isEmpty());
    }

    /**
     * Could objects of a class count, wherever they are allocated? Those of one of the types or of
     * one of the packages do, as in {@link io.heapsampler.RecordingOptions}.
     */
    boolean mayAccept(String className) {
        boolean isAny = types.isEmpty() && packages.isEmpty();
        boolean isWanted =
                isAny
                        || types.contains(className)
                        || packages.stream().anyMatch(name -> className.startsWith(name + "."));
        return isWanted && exclude.stream().noneMatch(pattern -> pattern.matches(className));
    }

    boolean accepts(String className, List<StackTraceElement> stack) {
        return mayAccept(className)
                && (sites.isEmpty() || Pattern.matchAny(sites, stack))
                && !Pattern.matchAny(exclude, stack);
    }

    /**
     * Returns its description, as the end of a sentence: {@code "of byte[] in the test's thread"}.
     */
    public String describe() {
        List<String> words = new ArrayList<>();
        if (!types.isEmpty()) {
            words.add("of " + String.join(", ", types));
        }
        if (!packages.isEmpty()) {
            words.add("of classes in " + String.join(", ", packages));
        }
        if (!sites.isEmpty()) {
            words.add("at " + Pattern.join(sites));
        }
        if (!exclude.isEmpty()) {
            words.add("without " + Pattern.join(exclude));
        }
        words.add(
                switch (threads) {
                    case DEFAULT, TEST -> "in the test's thread";
                    case INHERITED -> "in the test's thread and those it starts";
                    case ALL -> "in all threads";
                });
        return String.join(" ", words);
    }
}
