// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import java.util.ArrayList;
import java.util.List;

/**
 * Rehearses a diagnosis for the time when metaspace is full, because nothing can be loaded or
 * linked then (trap T8). It judges a made-up JVM that keeps its class loaders, and writes the
 * diagnosis with a site and a caller. Other rules may fail in a full metaspace; see {@link Rules}.
 */
final class Rehearsal {

    private static final int ROUNDS = 15;

    /** Rehearses with what is known of this JVM; returns the length of what was written. */
    static long run(JvmSettings jvm, SiteBook sites, Diagnosis real) {
        sites.growth.growing();
        Diagnosis judged = Rules.judge(sick(jvm), sites, real.slo().slo);
        List<Finding> findings = new ArrayList<>(judged.findings());
        findings.add(withSite(findings.get(0)));
        return written(real) + written(judged.with(findings, List.of()));
    }

    private static long written(Diagnosis judged) {
        Findings nobody = new Findings();
        Runnable removal = nobody.add(nobody, finding -> {});
        nobody.update(judged, 0);
        removal.run();
        return (long) TextReport.of(judged).length() + JsonReport.of(judged).length();
    }

    private static Finding withSite(Finding f) {
        Estimate estimate = Estimate.of(1, 1, 1, 10);
        return new Finding(
                f.id(),
                f.severity(),
                f.title(),
                f.startedAt(),
                f.endedAt(),
                f.collector(),
                f.evidence(),
                List.of(new SiteEvidence("Loader", List.of(), "live", estimate, "bytes")),
                List.of(new CallerEvidence("System.gc()", List.of("shop.Batch.end:12"), 1)),
                f.notFired(),
                f.refuters(),
                f.advice(),
                f.explainedBy());
    }

    /** Metaspace becomes full, second by second, and its collections free nothing. */
    static Timeline sick(JvmSettings jvm) {
        List<Tick> ticks = new ArrayList<>();
        List<GcEvent> collections = new ArrayList<>();
        for (int i = 1; i <= ROUNDS; i++) {
            long used = jvm.maxMetaspace() / ROUNDS * i;
            long[] row = new long[Tick.FIELDS];
            row[0] = 1_000L * i;
            row[5] = used;
            row[6] = used;
            row[7] = 1_000L * i;
            ticks.add(Tick.of(row));
            String cause =
                    i < ROUNDS ? "Metadata GC Threshold" : "Metadata GC Clear Soft References";
            CollectionKind kind = CollectionKind.FULL_PAUSE;
            long at = row[0] + 300;
            collections.add(
                    new GcEvent(at, 300, kind, "bean", "end", cause, 2, 2, 2, 1, 1, 1, used));
        }
        return new Timeline(jvm, ticks, collections, List.of());
    }
}
