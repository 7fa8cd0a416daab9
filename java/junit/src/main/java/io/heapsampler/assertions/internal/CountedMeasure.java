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
 * The JVM's own count. A recording beside it explains, and where it has every allocation, tells
 * what the JVM itself allocated, which is then subtracted.
 *
 * <p>The count of all threads can miss a thread that is just ending. So there the run is always
 * recorded, and what was surely allocated according to the samples is the least that counts.
 */
final class CountedMeasure implements Measure {

    private static final String HOW_SAMPLED =
            "the least that samples prove, which is more than the JVM counted, ";

    private final Scope scope;
    private final long limit;
    private final long interval;
    private final Window window;

    /**
     * Creates a measure.
     *
     * @param limit up to which nothing but the count matters
     * @param interval bytes between two samples; 0 to tell what the JVM itself allocates
     */
    CountedMeasure(LongSupplier counter, Scope scope, long limit, long interval) {
        this.scope = scope;
        this.limit = limit;
        this.interval = interval;
        this.window = new Window(counter, scope.threads() == ThreadScope.TEST);
    }

    @Override
    public Measured once(Subject subject) throws Throwable {
        window.begin(subject);
        Evidence evidence = evidenceIfAny();
        boolean isDone = false;
        try {
            long raw = window.raw(subject);
            if (evidence != null) {
                evidence.stop();
            }
            Measured figure = figure(raw, window.net(raw, subject), evidence);
            isDone = true;
            return figure;
        } finally {
            if (!isDone && evidence != null) {
                evidence.close();
            }
        }
    }

    private Measured figure(long raw, long bytes, @Nullable Evidence evidence) {
        Measured figure = window.widen(Measured.exact(bytes, how(), evidence));
        if (evidence == null) {
            return figure;
        }
        if (!scope.setsAside()) {
            long sampled = scope.threads() == ThreadScope.ALL ? surely(evidence) : 0;
            return sampled > bytes
                    ? Measured.exact(sampled, HOW_SAMPLED + scope.describe(), evidence)
                    : figure;
        }
        // Calls may cost less than when that was measured, which would hide some of the code's.
        Measured result = interval == 0 && raw > limit ? told(raw, evidence) : figure;
        if (result.isWithin(limit)) {
            evidence.close(); // there is nothing to explain
            return Measured.exact((long) result.bytes(), result.how(), null);
        }
        return result;
    }

    @Override
    public Trial.Layer layer() {
        return Trial.Layer.COUNT;
    }

    /** The count without what the harness, and the JVM itself, were seen to allocate. */
    private Measured told(long raw, Evidence evidence) {
        JvmShare share = JvmShare.sum(evidence.snapshot(), raw);
        long harness = share.harness();
        String how =
                "exact, the JVM's own count "
                        + scope.describe()
                        + (harness == 0 ? "" : subtracted(harness))
                        + share.describe();
        return Measured.exact(Math.max(0, raw - harness - share.bytes()), how, evidence);
    }

    private static String subtracted(long harness) {
        return "; " + Bytes.exact(harness) + " of the harness subtracted";
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
                + (harness == 0 ? "" : subtracted(harness));
    }
}
