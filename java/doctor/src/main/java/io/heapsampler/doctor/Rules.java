// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Judges a timeline: asks every rule, and keeps what each says.
 *
 * <p>Safe for use by many threads.
 */
public final class Rules {

    private static final List<Rule> ALL =
            List.of(
                    new HeapResize(),
                    new MetaspaceResize(),
                    new ExplicitGc(),
                    new DirectPressure(),
                    new MetaspaceLeak(),
                    new ClassChurn(),
                    new PrematurePromotion(),
                    new FrequentOld(),
                    new LeakGrowth(),
                    new LongPause(),
                    new Degenerated(),
                    new EvacuationFailure(),
                    new Stall(),
                    new Humongous(),
                    new DirectLeak(),
                    new NativeUnaccounted(),
                    new JniCritical(),
                    new FirstTouch());

    private Rules() {}

    /**
     * Asks every rule.
     *
     * @param timeline what was watched, live or recorded
     * @param sites what the sampler told; empty if it does not run
     * @param slo what the service may lose to collections
     * @return what was found, and what was not
     */
    public static Diagnosis judge(Timeline timeline, SiteHistory sites, Slo slo) {
        Situation situation = new Situation(timeline, sites, slo);
        List<Finding> findings = new ArrayList<>();
        List<Check> checks = new ArrayList<>();
        for (Rule rule : ALL) {
            Verdict verdict = rule.judge(situation);
            if (verdict.finding() != null) {
                findings.add(verdict.finding());
            } else if (verdict.check() != null) {
                checks.add(verdict.check());
            }
        }
        findings.sort(
                Comparator.comparing(Finding::severity)
                        .reversed()
                        .thenComparing(Comparator.comparing(Finding::confidence).reversed()));
        return new Diagnosis(
                Instant.ofEpochMilli(situation.from()),
                Instant.ofEpochMilli(situation.to()),
                timeline.settings(),
                slo,
                findings,
                checks,
                List.of());
    }
}
