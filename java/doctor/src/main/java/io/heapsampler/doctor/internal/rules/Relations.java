// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The relations between findings: explanations, and alternatives that were ruled out. */
public final class Relations {

    /** Findings that a finding explains, and that are then no problems of their own. No cycles. */
    private static final Map<String, Set<String>> EXPLAINS =
            Map.of(
                    "leak.growth",
                    Set.of(
                            "old.frequent",
                            "promotion.premature",
                            "heap.resize",
                            "gc.evacuation-failure",
                            "gc.degenerated",
                            "gc.stall",
                            "pause.long"),
                    "metaspace.leak",
                    Set.of("leak.growth", "metaspace.resize", "native.unaccounted"),
                    "promotion.premature",
                    Set.of("old.frequent", "pause.long"),
                    "old.frequent",
                    Set.of("pause.long"),
                    "gc.explicit",
                    Set.of("pause.long"),
                    "jni.critical",
                    Set.of("gc.degenerated", "pause.long"),
                    "direct.leak",
                    Set.of("direct.pressure", "gc.explicit"));

    /** Findings with the same symptoms, which have to be ruled out. */
    private static final Map<String, Set<String>> ALTERNATIVES =
            Map.ofEntries(
                    Map.entry("heap.resize", Set.of("leak.growth", "promotion.premature")),
                    Map.entry("metaspace.resize", Set.of("metaspace.leak", "class.churn")),
                    Map.entry("metaspace.leak", Set.of("class.churn", "metaspace.resize")),
                    Map.entry("class.churn", Set.of("metaspace.leak")),
                    Map.entry("gc.explicit", Set.of("direct.pressure", "direct.leak")),
                    Map.entry("direct.pressure", Set.of("direct.leak", "gc.explicit")),
                    Map.entry("direct.leak", Set.of("direct.pressure", "native.unaccounted")),
                    Map.entry(
                            "native.unaccounted",
                            Set.of("direct.leak", "metaspace.leak", "leak.growth")),
                    Map.entry(
                            "promotion.premature",
                            Set.of("old.frequent", "leak.growth", "gc.humongous", "gc.explicit")),
                    Map.entry(
                            "old.frequent",
                            Set.of(
                                    "promotion.premature",
                                    "leak.growth",
                                    "gc.humongous",
                                    "gc.explicit",
                                    "metaspace.leak")),
                    Map.entry("leak.growth", Set.of("old.frequent", "metaspace.leak")),
                    Map.entry(
                            "pause.long",
                            Set.of("gc.explicit", "first-touch", "heap.resize", "jni.critical")),
                    Map.entry(
                            "gc.degenerated",
                            Set.of("leak.growth", "promotion.premature", "gc.humongous")),
                    Map.entry(
                            "gc.evacuation-failure",
                            Set.of("leak.growth", "promotion.premature", "gc.humongous")),
                    Map.entry("gc.stall", Set.of("leak.growth", "old.frequent")),
                    Map.entry("gc.humongous", Set.of("leak.growth", "promotion.premature")),
                    Map.entry("jni.critical", Set.of("gc.explicit", "pause.long")),
                    Map.entry("first-touch", Set.of("pause.long", "heap.resize")));

    private Relations() {}

    /** Adds the excluded rules to each finding, and turns explained findings into information. */
    public static List<Finding> settle(List<Finding> findings, List<Check> checks) {
        List<Finding> settled = new ArrayList<>(findings.size());
        for (Finding finding : findings) {
            List<Check> notFired = new ArrayList<>(finding.notFired());
            Set<String> wanted = ALTERNATIVES.getOrDefault(finding.id(), Set.of());
            for (Check check : checks) {
                if (check.observable() && wanted.contains(check.id())) {
                    notFired.add(check);
                }
            }
            Finding by = explaining(finding, findings);
            settled.add(by == null ? copy(finding, notFired) : explained(finding, by, notFired));
        }
        return settled;
    }

    /** Returns the cause of a finding; that of the cause, if it has one. */
    private static @Nullable Finding explaining(Finding finding, List<Finding> all) {
        for (Finding other : all) {
            if (other.severity() != Severity.INFO
                    && EXPLAINS.getOrDefault(other.id(), Set.of()).contains(finding.id())) {
                Finding first = explaining(other, all);
                return first == null ? other : first;
            }
        }
        return null;
    }

    private static Finding copy(Finding f, List<Check> notFired) {
        return with(f, f.severity(), f.evidence(), notFired, f.explainedBy());
    }

    private static Finding explained(Finding f, Finding by, List<Check> notFired) {
        return with(f, Severity.INFO, f.evidence(), notFired, by.id());
    }

    static Finding with(Finding f, List<Evidence> evidence) {
        return with(f, f.severity(), evidence, f.notFired(), f.explainedBy());
    }

    private static Finding with(
            Finding f,
            Severity severity,
            List<Evidence> evidence,
            List<Check> notFired,
            @Nullable String explainedBy) {
        return new Finding(
                f.id(),
                severity,
                f.title(),
                f.startedAt(),
                f.endedAt(),
                f.collector(),
                evidence,
                f.sites(),
                f.callers(),
                notFired,
                f.refuters(),
                f.advice(),
                explainedBy);
    }
}
