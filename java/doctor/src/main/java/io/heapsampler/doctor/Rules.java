// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Judges a timeline: evaluates every rule, and collects the results. Thread-safe. */
final class Rules {

    static final Comparator<Finding> WORST_FIRST =
            Comparator.comparing(Finding::severity).reversed();

    /** Findings of one severity keep this order: causes before effects. */
    static final List<TableRule> ALL =
            List.of(
                    new TableRule("leak.growth", LeakGrowth::find),
                    new TableRule("metaspace.leak", ClassRules::leak),
                    new TableRule("direct.leak", DirectLeak::find),
                    new TableRule("native.unaccounted", NativeUnaccounted::find),
                    new TableRule("gc.explicit", ExplicitCalls::explicit),
                    new TableRule("direct.pressure", ExplicitCalls::pressure),
                    new TableRule("jni.critical", CollectorRules::jniCritical),
                    new TableRule("promotion.premature", PrematurePromotion::find),
                    new TableRule("old.frequent", OldFigures::find),
                    new TableRule("gc.humongous", CollectorRules::humongous),
                    new TableRule("class.churn", ClassRules::churn),
                    new TableRule("gc.stall", CollectorRules::stall),
                    new TableRule("gc.degenerated", CollectorRules::degenerated),
                    new TableRule("gc.evacuation-failure", CollectorRules::evacuationFailure),
                    new TableRule("pause.long", LongPause::find),
                    new TableRule("heap.resize", CollectorRules::resize));

    private static final String FAILED = "The rule failed: ";

    /** Evaluates every rule; {@code sites} is empty if the sampler does not run. */
    static Diagnosis judge(Timeline timeline, SiteBook sites, Slo slo) {
        Situation situation = Situation.of(timeline, sites, slo);
        List<Facts> results = ALL.stream().map(rule -> ask(rule, situation)).toList();
        List<Check> checks = new ArrayList<>();
        for (Facts result : results) {
            Check check = result.check;
            if (check != null) {
                checks.add(check);
            }
        }
        List<Finding> findings = Relations.settle(results, Step.of(situation));
        findings.sort(WORST_FIRST);
        return new Diagnosis(situation, findings, checks, notes(situation));
    }

    /** A rule can fail, for instance when memory has run out; the other rules are still judged. */
    private static Facts ask(TableRule rule, Situation situation) {
        try {
            return rule.judge(situation);
        } catch (RuntimeException | VirtualMachineError | LinkageError e) {
            Facts failed = new Facts(situation, List.of());
            failed.check = new Check(rule.id, FAILED + e + ".", false);
            return failed;
        }
    }

    /** Returns whether a rule could not be evaluated, such as for lack of memory. */
    static boolean hasFailed(Check check) {
        return check.why().startsWith(FAILED);
    }

    private static List<String> notes(Situation s) {
        List<String> notes = new ArrayList<>();
        notes.add(sampling(s));
        notes.addAll(s.sites().notes());
        return notes;
    }

    private static String sampling(Situation s) {
        if (s.sites().isEmpty()) {
            return TableRule.note("sampling.not");
        }
        long interval = s.sites().totals().interval();
        double chance = -Math.expm1(-(double) (1 << 20) / Math.max(interval, 1));
        String once = Text.number(Math.max(interval / 136.0, 1));
        return TableRule.note("sampling", Text.bytes(interval), Text.share(chance), once);
    }
}
