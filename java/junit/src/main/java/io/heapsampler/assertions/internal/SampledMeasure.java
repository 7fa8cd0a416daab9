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
record SampledMeasure(Scope scope, long interval) implements Measure {

    @Override
    public Measured once(Subject subject) throws Throwable {
        return Evidence.ofRun(scope, interval, subject, this::figure);
    }

    private Measured figure(Evidence evidence) {
        HeapSnapshot snapshot = evidence.snapshot();
        JvmShare share = JvmShare.of(snapshot);
        List<SiteFigures> sites =
                SiteFigures.of(
                        snapshot,
                        scope,
                        site ->
                                interval == 0
                                        && share.takes(site, site.allocated().bytes().value()));
        Estimate sum = SiteFigures.sum(sites, SiteFigures::allocated);
        String how = how(interval, sum.samples(), scope) + share.describe();
        Measured figure = Measured.of(sum, interval, how, evidence);
        return Drops.ofAllocated(
                snapshot, Drops.ofStacks(snapshot, scope, HeapSite::allocated, figure));
    }

    @Override
    public Measure better(Measured undecided, long limit) {
        return new SampledMeasure(scope, 0);
    }

    @Override
    public Rule.Layer layer() {
        return Rule.Layer.SAMPLES;
    }

    static String how(long interval, long samples, Scope scope) {
        String form =
                interval == 0
                        ? "every allocation recorded, %,d in total, %3$s"
                        : samples == 1
                                ? "estimated from %,d sample, one every %,d bytes, %s"
                                : "estimated from %,d samples, one every %,d bytes, %s";
        return String.format(Locale.ROOT, form, samples, interval, scope.describe());
    }
}
