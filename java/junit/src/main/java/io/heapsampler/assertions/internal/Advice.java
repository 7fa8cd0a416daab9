// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** What a message says about repetition. */
final class Advice {

    private static final String GENERAL =
            " Where only a first run does this, have later runs judged, with warmup at"
                    + " @AllocationTest or assertAllocations.";

    private Advice() {}

    /** Returns the last sentence of what helps, with a blank before; empty if there is none. */
    static String of(FigureTrial.Looked looked, Repeats repeats) {
        if (repeats.isAsked()) {
            return "";
        }
        return looked.advice().isEmpty() ? GENERAL : " " + looked.advice();
    }

    /** A second run was within the limit. */
    static String within(Measured figure) {
        return "A second, unjudged run was within the limit ("
                + figure.figure()
                + "): if later runs are meant, write @AllocationTest(warmup = 1) in place of @Test,"
                + " or warmup(1) at assertAllocations.";
    }
}
