// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** What a message says about repetition. */
final class Advice {

    private Advice() {}

    /**
     * Returns the beginning of a sentence, which other hints may follow; empty if there is none.
     */
    static String of(FigureTrial.Looked looked, Repeats repeats) {
        if (repeats.isAsked()) {
            return "";
        }
        return looked.advice().isEmpty()
                ? "if a later run allocates less, such as one that is compiled, have that judged:"
                        + " warmup = ... at @AllocationTest, or warmup(...) at assertAllocations;"
                        + " else "
                : looked.advice()
                        + "have later runs judged if that is meant, with warmup(1); else ";
    }
}
