// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own count. A recording beside it explains; it changes nothing in the count.
 *
 * <p>The count of all threads can miss a thread that is just ending. So there the run is always
 * recorded, and what was surely allocated according to the samples is the least that counts.
 */
final class CountedMeasure implements Measure {

    private static final String HOW_SAMPLED =
            "the least that samples prove, which is more than the JVM counted, ";

    private final Scope scope;
    private final long interval;
    private final Window window;

    CountedMeasure(LongSupplier counter, Scope scope, long interval) {
        this.scope = scope;
        this.interval = interval;
        this.window = new Window(counter, scope.threads() == ThreadScope.TEST);
    }

    @Override
    public Measured once(Subject subject) throws Throwable {
        boolean isCompared = scope.threads() == ThreadScope.ALL;
        Evidence evidence = evidenceIfAny();
        boolean isDone = false;
        try {
            long raw = window.raw(subject);
            if (evidence != null) {
                evidence.stop();
            }
            long bytes = window.net(raw, subject);
            long sampled = isCompared && evidence != null ? surely(evidence) : 0;
            isDone = true;
            return sampled > bytes
                    ? Measured.exact(sampled, HOW_SAMPLED + scope.describe(), evidence)
                    : window.widen(Measured.exact(bytes, how(), evidence));
        } finally {
            if (!isDone && evidence != null) {
                evidence.close();
            }
        }
    }

    @Override
    public Trial.Layer layer() {
        return Trial.Layer.COUNT;
    }

    private long surely(Evidence evidence) {
        HeapSnapshot snapshot = evidence.snapshot();
        Estimate sum = SampledMeasure.sumOfAllocated(SiteFigures.of(snapshot, scope));
        Measured figure = Measured.of(sum, interval, "", evidence);
        return (long) CutStacks.of(snapshot, scope, HeapSite::allocated).widen(figure).low();
    }

    private @Nullable Evidence evidenceIfAny() {
        try {
            return Evidence.open(scope, interval);
        } catch (NotMeasuredException e) {
            return null; // the verdict does not need it
        }
    }

    private String how() {
        long harness = window.harness();
        return (window.isSure() ? "exact, the JVM's own count " : "the JVM's own count ")
                + scope.describe()
                + (harness == 0 ? "" : "; " + Bytes.exact(harness) + " of the harness subtracted");
    }
}
