// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The relations between findings: what explains them, and what was ruled out. */
final class Relations {

    /** The cause of what more allocation can bring about. */
    static final String LOAD = "load";

    /** A rise of allocation is found to the second. */
    private static final long TOLERANCE_MILLIS = 1500;

    /**
     * Adds the excluded rules to each finding, turns explained findings into information, and marks
     * symptoms: if the application began to allocate much more before a finding showed, collections
     * are the effect and not the cause.
     */
    static List<Finding> settle(List<Facts> results, @Nullable Step step) {
        List<Finding> settled = new ArrayList<>();
        for (Facts result : results) {
            Finding finding = result.finding;
            if (finding != null) {
                settled.add(settled(result, finding, results, step));
            }
        }
        return settled;
    }

    private static Finding settled(
            Facts result, Finding finding, List<Facts> all, @Nullable Step step) {
        List<Check> notFired = new ArrayList<>();
        Severity severity = finding.severity();
        for (Facts other : all) {
            Check check = other.check;
            Finding effect = other.finding;
            if (check != null
                    && check.observable()
                    && result.words("similar").contains(check.id())) {
                notFired.add(check);
            }
            // A cause is as severe as the worst of what it explains.
            Finding cause = effect == null ? null : cause(other, all);
            if (effect != null && cause != null && cause.id().equals(finding.id())) {
                severity = worse(severity, effect.severity());
            }
        }
        List<Evidence> evidence = new ArrayList<>(finding.evidence());
        Instant latest = finding.startedAt().plusMillis(TOLERANCE_MILLIS);
        boolean isOfLoad = result.words("because").contains(LOAD);
        if (isOfLoad && step != null && !step.at().isAfter(latest)) {
            evidence.add(symptom(finding, step));
        }
        Finding cause = cause(result, all);
        return cause == null
                ? finding.with(severity, evidence, notFired, null)
                : finding.with(Severity.INFO, evidence, notFired, cause.id());
    }

    private static Severity worse(Severity one, Severity other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /** Returns what explains a finding; the cause of that, if it has one. */
    private static @Nullable Finding cause(Facts result, List<Facts> all) {
        for (Facts other : all) {
            Finding found = other.finding;
            if (found != null
                    && found.severity() != Severity.INFO
                    && result.words("because").contains(found.id())) {
                Finding first = cause(other, all);
                return first == null ? found : first;
            }
        }
        return null;
    }

    private static Evidence symptom(Finding finding, Step step) {
        long before = Duration.between(step.at(), finding.startedAt()).toMillis();
        double ratio = step.after() / Math.max(step.before(), 1);
        String key = before > 0 ? "symptom" : "symptom.now";
        String text = TableRule.note(key, step.text(), Text.span(before));
        return new Evidence("symptom", ratio, "times", text);
    }
}
