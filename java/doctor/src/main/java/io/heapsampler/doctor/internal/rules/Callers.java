// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.CallerEvidence;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the callers of certain methods, as far as events have stacks. For one thread. */
final class Callers {

    /** Those that are named. */
    private static final int MOST = 3;

    private final String call;
    private final Map<List<String>, Long> byStack = new HashMap<>();

    Callers(String call) {
        this.call = call;
    }

    /** The stack begins with the caller. */
    void add(List<String> stack) {
        byStack.merge(stack, 1L, Long::sum);
    }

    /** Returns the most frequent callers, the most calls first. */
    List<CallerEvidence> most() {
        return byStack.entrySet().stream()
                .filter(each -> !each.getKey().isEmpty())
                .map(each -> new CallerEvidence(call, each.getKey(), each.getValue()))
                .sorted(
                        Comparator.comparingLong(CallerEvidence::count)
                                .reversed()
                                .thenComparing(each -> each.stack().toString()))
                .limit(MOST)
                .toList();
    }
}
