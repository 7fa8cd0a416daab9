// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import java.util.List;
import java.util.Locale;

/**
 * An estimate from samples; with interval 0 every allocation is one, and it is exact. Only then the
 * JVM's share is known: an attempt to load a class that fails is recognised by its exception, which
 * samples may miss.
 */
final class SampledMeasure implements Measure {

    private final Scope scope;
    private final long interval;

    SampledMeasure(Scope scope, long interval) {
        this.scope = scope;
        this.interval = interval;
    }

    @Override
    public Measured once(Subject subject) throws Throwable {
        OlderThreads others = OlderThreads.of(scope);
        Evidence evidence = Evidence.openWithShare(scope, interval);
        boolean isDone = false;
        try {
            Carriers carriers = Carriers.others(scope);
            subject.run();
            carriers.end();
            evidence.stop();
            HeapSnapshot snapshot = evidence.snapshot();
            JvmShare share = JvmShare.of(snapshot);
            List<SiteFigures> sites =
                    SiteFigures.of(
                            snapshot,
                            scope,
                            site -> interval == 0 && share.takes(site, allocated(site)));
            Estimate sum = sumOfAllocated(sites);
            isDone = true;
            String how = how(interval, sum.samples(), scope) + share.describe();
            Measured figure = Measured.of(sum, interval, how, evidence);
            figure = CutStacks.of(snapshot, scope, HeapSite::allocated).widen(figure);
            return carriers.widen(others.widen(Drops.ofAllocated(snapshot, figure)));
        } finally {
            if (!isDone) {
                evidence.close();
            }
        }
    }

    @Override
    public Measure better(Measured undecided, long limit) {
        return new SampledMeasure(scope, 0);
    }

    @Override
    public Trial.Layer layer() {
        return Trial.Layer.SAMPLES;
    }

    private static double allocated(HeapSite site) {
        return site.allocated().bytes().value();
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
