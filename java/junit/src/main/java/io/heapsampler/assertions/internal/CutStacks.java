// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.Measured.Bounds;
import java.util.List;
import java.util.function.Function;

/**
 * Allocations of which it is not known whether they count, for frames of their stacks are missing.
 */
final class CutStacks {

    static final String REASON =
            "stacks are cut or missing, so that some allocations may count or not";

    static final String HELP =
            "Start the sampler before with a greater maxDepth, or a greater maxStacks, maxNames and"
                    + " maxSites: HeapSnapshot.dropped() says which.";

    private Estimate counted = Estimate.of(0, 0, 0, 0);
    private Estimate notCounted = counted;

    private CutStacks() {}

    /** Finds them by the test that a site must pass. */
    static CutStacks of(HeapSnapshot snapshot, Scope scope, Function<HeapSite, HeapAmount> amount) {
        CutStacks cut = new CutStacks();
        for (HeapSite site : snapshot.sites()) {
            List<StackTraceElement> stack = Frames.isCut(site) ? Frames.ofCode(site.stack()) : null;
            if (stack != null && scope.dependsOnMore(site.className(), stack)) {
                cut.add(amount.apply(site).bytes(), scope.accepts(site.className(), stack));
            }
        }
        return cut;
    }

    private void add(Estimate bytes, boolean isCounted) {
        if (isCounted) {
            counted = counted.plus(bytes);
        } else {
            notCounted = notCounted.plus(bytes);
        }
    }

    /** Is there none? */
    boolean isEmpty() {
        return counted.samples() + notCounted.samples() == 0;
    }

    /** Returns a figure that allows for them. */
    Measured widen(Measured figure) {
        if (isEmpty()) {
            return figure;
        }
        double error = Bounds.CERTAINTY * (counted.standardError() + notCounted.standardError());
        return figure.widened(
                figure.low() - counted.value() - error,
                figure.high() + notCounted.value() + error,
                REASON,
                HELP);
    }
}
