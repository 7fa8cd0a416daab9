// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import java.util.List;
import java.util.Locale;

/** An estimate from samples; with interval 0 every allocation is one, and it is exact. */
final class SampledMeasure implements Measure {

    private final Scope scope;
    private final long interval;

    SampledMeasure(Scope scope, long interval) {
        this.scope = scope;
        this.interval = interval;
    }

    @Override
    public Measured once(Subject subject, boolean explains) throws Throwable {
        OlderThreads others = OlderThreads.of(scope);
        Evidence evidence = Evidence.open(scope, interval);
        boolean isDone = false;
        try {
            String carrier = carrier();
            subject.run();
            evidence.stop();
            requireSame(carrier);
            HeapSnapshot snapshot = evidence.snapshot();
            Estimate sum = sumOfAllocated(SiteFigures.of(snapshot, scope));
            isDone = true;
            Measured figure = Measured.of(sum, how(interval, sum.samples(), scope), evidence);
            figure = CutStacks.of(snapshot, scope, HeapSite::allocated).widen(figure);
            return others.widen(Drops.ofAllocated(snapshot, figure));
        } finally {
            if (!isDone) {
                evidence.close();
            }
        }
    }

    /**
     * A recording begins for a virtual thread with the carrier on which it was opened; on another
     * one the first allocations would not be seen. The name of a virtual thread ends with that of
     * its carrier.
     */
    private void requireSame(String carrier) throws NotMeasuredException {
        if (scope.threads() == ThreadScope.TEST && !carrier().equals(carrier)) {
            throw new NotMeasuredException(
                    "Its virtual thread went to another carrier while it ran, so not all of its"
                            + " allocations were recorded. Let it run in a platform thread, or"
                            + " without blocking.");
        }
    }

    private static String carrier() {
        String name = Thread.currentThread().toString();
        return name.startsWith("VirtualThread") ? name.substring(name.indexOf('/') + 1) : "";
    }

    @Override
    public Measure finest() {
        return new SampledMeasure(scope, 0);
    }

    static Estimate sumOfAllocated(List<SiteFigures> sites) {
        return sites.stream()
                .map(site -> site.allocated().bytes())
                .reduce(Estimate.of(0, 0, 0, 0), Estimate::plus);
    }

    static String how(long interval, long samples, Scope scope) {
        String basis =
                interval == 0
                        ? String.format(
                                Locale.ROOT, "every allocation recorded, %,d in all,", samples)
                        : String.format(
                                Locale.ROOT,
                                samples == 1
                                        ? "estimated from %,d sample, one every %,d bytes,"
                                        : "estimated from %,d samples, one every %,d bytes,",
                                samples,
                                interval);
        return basis + " " + scope.describe();
    }
}
