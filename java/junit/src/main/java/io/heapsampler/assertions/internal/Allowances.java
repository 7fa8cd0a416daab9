// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

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

    /** One permission to stay alive. Safe for use by many threads. */
    public static final class Allowance {

        private final String where;
        private final String reason;
        private final List<Pattern> frames;
        private final LongAdder uses = new LongAdder();

        /**
         * Creates a permission.
         *
         * @param where where it is written, for reports
         * @param reason why
         * @param frames of which one must match the class or a frame
         */
        public Allowance(String where, String reason, List<Pattern> frames) {
            this.where = where;
            this.reason = reason;
            this.frames = frames;
        }

        boolean covers(String className, List<StackTraceElement> stack) {
            return frames.stream().anyMatch(pattern -> pattern.matches(className))
                    || Pattern.matchAny(frames, stack);
        }

        void use() {
            uses.increment();
        }

        /** Was it needed? */
        public boolean isUsed() {
            return uses.sum() > 0;
        }

        @Override
        public String toString() {
            return Pattern.join(frames) + " (" + where + ": " + reason + ")";
        }
    }
}
