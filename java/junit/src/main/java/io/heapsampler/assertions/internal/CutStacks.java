// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Amount;
import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.List;
import java.util.function.Function;

/**
 * Allocations of which it is not known whether they count, for frames of their stacks are missing.
 */
final class CutStacks {

    private Estimate counted = Estimate.of(0, 0, 0, 0);
    private Estimate notCounted = counted;

    private CutStacks() {}

    /** Finds them, by what is asked about a site. */
    static CutStacks of(HeapSnapshot snapshot, Scope scope, Function<HeapSite, Amount> amount) {
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

    /** Returns a figure that allows for them. */
    Measured widen(Measured figure) {
        if (counted.samples() + notCounted.samples() == 0) {
            return figure;
        }
        double error = Measured.CERTAINTY * (counted.standardError() + notCounted.standardError());
        return new Measured(
                Math.max(0, figure.low() - counted.value() - error),
                figure.bytes(),
                figure.high() + notCounted.value() + error,
                figure.how()
                        + "; stacks are cut, so that some allocations may count or not: start the"
                        + " sampler with a greater maxDepth",
                figure.evidence());
    }
}
