// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;

/**
 * Allocations that may stay alive, and which permissions were needed. Safe for use by many threads.
 */
public final class Allowances {

    /** Nothing. */
    public static final Allowances NONE = new Allowances(List.of());

    private final List<Allowance> all;

    /** Collects permissions. */
    public Allowances(List<Allowance> all) {
        this.all = List.copyOf(all);
    }

    boolean covers(String className, List<StackTraceElement> stack) {
        return all.stream().anyMatch(allowance -> allowance.covers(className, stack));
    }

    /** The same, where the verdict depends on it: those that cover it were needed. */
    boolean allows(String className, List<StackTraceElement> stack) {
        boolean isAllowed = false;
        for (Allowance allowance : all) {
            if (allowance.covers(className, stack)) {
                allowance.use();
                isAllowed = true;
            }
        }
        return isAllowed;
    }

    /** Returns all of them. */
    public List<Allowance> all() {
        return all;
    }
}
