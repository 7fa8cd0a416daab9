// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.internal.text.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which findings are symptoms: where the application began to allocate much more before they
 * showed, collections are the effect and not the cause of what went wrong.
 */
public final class Symptoms {

    /** What more allocation brings about. */
    private static final Set<String> OF_LOAD =
            Set.of(
                    "promotion.premature",
                    "old.frequent",
                    "gc.degenerated",
                    "gc.evacuation-failure",
                    "gc.stall",
                    "gc.humongous",
                    "pause.long",
                    "jni.critical");

    /** A rise is found to the second. */
    private static final long TOLERANCE_MILLIS = 1500;

    private Symptoms() {}

    public static List<Finding> mark(List<Finding> findings, @Nullable Step step) {
        if (step == null || !step.isRise()) {
            return findings;
        }
        List<Finding> marked = new ArrayList<>(findings.size());
        for (Finding finding : findings) {
            long from = finding.startedAt().toEpochMilli();
            boolean isSymptom =
                    OF_LOAD.contains(finding.id()) && step.at() <= from + TOLERANCE_MILLIS;
            marked.add(isSymptom ? symptom(finding, step) : finding);
        }
        return marked;
    }

    private static Finding symptom(Finding f, Step step) {
        List<Evidence> evidence = new ArrayList<>(f.evidence());
        long before = f.startedAt().toEpochMilli() - step.at();
        evidence.add(
                new Evidence(
                        "symptom",
                        step.after() / Math.max(step.before(), 1),
                        "times",
                        "GC is symptom: allocation rose from "
                                + step.text()
                                + (before > 0
                                        ? ", " + Text.span(before) + " before this showed."
                                        : " when this showed.")));
        return Relations.with(f, evidence);
    }
}
