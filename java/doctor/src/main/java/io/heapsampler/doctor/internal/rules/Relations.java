// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The relations between findings: what explains them, and what was ruled out. */
public final class Relations {

    /** Findings that a finding explains, and that are then no problems of their own. No cycles. */
    private static final Map<String, Set<String>> EXPLAINS =
            read(
                    """
                    leak.growth: old.frequent promotion.premature heap.resize \
                    gc.evacuation-failure gc.degenerated gc.stall pause.long
                    metaspace.leak: leak.growth metaspace.resize native.unaccounted
                    promotion.premature: old.frequent pause.long
                    old.frequent: pause.long
                    gc.explicit: pause.long
                    jni.critical: gc.degenerated pause.long promotion.premature
                    direct.leak: direct.pressure gc.explicit\
                    """);

    /** Findings with the same symptoms, which have to be ruled out. */
    private static final Map<String, Set<String>> ALTERNATIVES =
            read(
                    """
                    heap.resize: leak.growth promotion.premature
                    metaspace.resize: metaspace.leak class.churn
                    metaspace.leak: class.churn metaspace.resize
                    class.churn: metaspace.leak
                    gc.explicit: direct.pressure direct.leak
                    direct.pressure: direct.leak gc.explicit
                    direct.leak: direct.pressure native.unaccounted
                    native.unaccounted: direct.leak metaspace.leak leak.growth
                    promotion.premature: old.frequent leak.growth gc.humongous gc.explicit
                    old.frequent: promotion.premature leak.growth gc.humongous gc.explicit \
                    metaspace.leak
                    leak.growth: old.frequent metaspace.leak
                    pause.long: gc.explicit first-touch heap.resize jni.critical
                    gc.degenerated: leak.growth promotion.premature gc.humongous
                    gc.evacuation-failure: leak.growth promotion.premature gc.humongous
                    gc.stall: leak.growth old.frequent
                    gc.humongous: leak.growth promotion.premature
                    jni.critical: gc.explicit pause.long
                    first-touch: pause.long heap.resize\
                    """);

    /** Of a pause that no other finding makes shorter. */
    private static final Set<String> OWN_REASONS =
            Set.of(
                    "reason.references",
                    "reason.class_unloading",
                    "reason.safepoint",
                    "reason.starved");

    /** Findings that more allocation can cause. */
    private static final String OF_LOAD =
            "promotion.premature old.frequent gc.degenerated gc.evacuation-failure gc.stall"
                    + " gc.humongous pause.long jni.critical";

    /** A rise of allocation is found to the second. */
    private static final long TOLERANCE_MILLIS = 1500;

    private Relations() {}

    private static Map<String, Set<String>> read(String lines) {
        Map<String, Set<String>> all = new HashMap<>();
        for (String line : lines.lines().toList()) {
            int colon = line.indexOf(':');
            String others = line.substring(colon + 2);
            all.put(line.substring(0, colon), Set.of(others.split(" ", -1)));
        }
        return all;
    }

    /**
     * Adds the excluded rules to each finding, turns explained findings into information, and marks
     * symptoms: if the application began to allocate much more before a finding showed, collections
     * are the effect and not the cause.
     */
    public static List<Finding> settle(
            List<Finding> findings, List<Check> checks, @Nullable Step step) {
        List<Finding> settled = new ArrayList<>(findings.size());
        for (Finding finding : findings) {
            List<Check> notFired = new ArrayList<>(finding.notFired());
            Set<String> wanted = ALTERNATIVES.getOrDefault(finding.id(), Set.of());
            for (Check check : checks) {
                if (check.observable() && wanted.contains(check.id())) {
                    notFired.add(check);
                }
            }
            List<Evidence> evidence = new ArrayList<>(finding.evidence());
            if (step != null && isSymptom(finding, step)) {
                evidence.add(symptom(finding, step));
            }
            Finding by = explaining(finding, findings);
            Severity severity = by == null ? severity(finding, findings) : Severity.INFO;
            settled.add(
                    new Finding(
                            finding.id(),
                            severity,
                            finding.title(),
                            finding.startedAt(),
                            finding.endedAt(),
                            finding.collector(),
                            evidence,
                            finding.sites(),
                            finding.callers(),
                            notFired,
                            finding.refuters(),
                            finding.advice(),
                            by == null ? finding.explainedBy() : by.id()));
        }
        return settled;
    }

    /** Returns the cause of a finding; that of the cause, if it has one. */
    private static @Nullable Finding explaining(Finding finding, List<Finding> all) {
        for (Finding other : all) {
            if (explains(other, finding)) {
                Finding first = explaining(other, all);
                return first == null ? other : first;
            }
        }
        return null;
    }

    /** A cause is as severe as the worst of what it explains. */
    private static Severity severity(Finding cause, List<Finding> all) {
        Severity worst = cause.severity();
        for (Finding other : all) {
            Finding first = explaining(other, all);
            boolean isOfIt = first != null && first.id().equals(cause.id());
            worst = isOfIt && other.severity().compareTo(worst) > 0 ? other.severity() : worst;
        }
        return worst;
    }

    /** Classes take less than twice as much outside of metaspace as in it. */
    private static boolean explains(Finding cause, Finding finding) {
        return cause.severity() != Severity.INFO
                && EXPLAINS.getOrDefault(cause.id(), Set.of()).contains(finding.id())
                && (!finding.id().equals("pause.long") || givesReason(cause.id(), finding))
                && (!finding.id().equals("gc.explicit") || isOfUnknown(finding))
                && !(value(finding, "native.growth") > 2 * value(cause, "metaspace.used"));
    }

    /** Callers that are known, RMI among them, do not call for direct memory. */
    private static boolean isOfUnknown(Finding explicit) {
        return explicit.callers().isEmpty() && Double.isNaN(value(explicit, "explicit.rmi"));
    }

    /** Not a number, which is neither more nor less, if there is no such evidence. */
    private static double value(Finding finding, String evidence) {
        double value = Double.NaN;
        for (Evidence each : finding.evidence()) {
            value = each.name().equals(evidence) ? each.value() : value;
        }
        return value;
    }

    /**
     * A reason that the log shows, or the cause of a pause, is no consequence of other findings.
     */
    private static boolean givesReason(String cause, Finding pause) {
        boolean isExplicit = false;
        boolean isOwn = false;
        for (Evidence each : pause.evidence()) {
            isExplicit |= each.name().equals("reason.explicit");
            isOwn |= OWN_REASONS.contains(each.name());
        }
        return !isOwn && (pause.evidence().isEmpty() || isExplicit == cause.equals("gc.explicit"));
    }

    private static boolean isSymptom(Finding f, Step step) {
        Instant latest = f.startedAt().plusMillis(TOLERANCE_MILLIS);
        return step.isRise() && OF_LOAD.contains(f.id()) && !step.at().isAfter(latest);
    }

    private static Evidence symptom(Finding f, Step step) {
        long before = Duration.between(step.at(), f.startedAt()).toMillis();
        String text = "GC is symptom: allocation rose from {}";
        text += before > 0 ? ", {} before this showed." : " when this showed.";
        double ratio = step.after() / Math.max(step.before(), 1);
        text = Text.of(text, step.text(), Text.span(before));
        return new Evidence("symptom", ratio, "times", text);
    }
}
