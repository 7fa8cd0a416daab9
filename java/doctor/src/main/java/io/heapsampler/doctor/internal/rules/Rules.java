// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Judges a timeline: evaluates every rule, and collects the results. Thread-safe. */
public final class Rules {

    /** Findings of one severity keep this order: causes before effects. */
    private static final List<TableRule> ALL =
            List.of(
                    LeakGrowth.RULE,
                    MetaspaceLeak.RULE,
                    DirectLeak.RULE,
                    NativeUnaccounted.RULE,
                    ExplicitCalls.EXPLICIT,
                    ExplicitCalls.DIRECT_PRESSURE,
                    CollectorRules.JNI_CRITICAL,
                    PrematurePromotion.RULE,
                    FrequentOld.RULE,
                    CollectorRules.HUMONGOUS,
                    ClassFigures.CHURN,
                    CollectorRules.STALL,
                    CollectorRules.DEGENERATED,
                    CollectorRules.EVACUATION_FAILURE,
                    LongPause.RULE,
                    HeapResize.RULE,
                    ClassFigures.RESIZE,
                    FirstTouch.RULE);

    /** Known problems that no rule covers. */
    private static final List<String> NOT_DIAGNOSED =
            List.of(
                    "a code cache that is full",
                    "safepoints that have nothing to do with collections",
                    "scanning of cards and remembered sets",
                    "a machine that swaps or has too few processors",
                    "native memory of allocators without buffer pools, such as Netty's without"
                            + " cleaners, beyond what the process grows by");

    private Rules() {}

    /** The ids of all findings there may be, in alphabetical order. */
    public static SortedSet<String> ids() {
        SortedSet<String> ids = new TreeSet<>();
        ALL.forEach(rule -> ids.add(rule.id));
        return ids;
    }

    /** Evaluates every rule; {@code sites} is empty if the sampler does not run. */
    public static Judgement judge(Timeline timeline, SiteBook sites, Slo slo) {
        Situation situation = Situation.of(timeline, sites, slo);
        List<Finding> found = new ArrayList<>();
        List<Check> checks = new ArrayList<>();
        for (TableRule rule : ALL) {
            Verdict verdict = ask(rule, situation);
            if (verdict.finding() != null) {
                found.add(verdict.finding());
            } else if (verdict.check() != null) {
                checks.add(verdict.check());
            }
        }
        Step step = Step.of(situation);
        List<Finding> findings = Relations.settle(found, checks, step);
        findings.sort(Comparator.comparing(Finding::severity).reversed());
        return new Judgement(
                timeline.shown(situation.from()),
                timeline.shown(situation.to()),
                timeline,
                SloReport.of(timeline, slo),
                CauseTotals.of(timeline),
                findings,
                checks,
                NOT_DIAGNOSED,
                notes(situation, step));
    }

    /** A rule can fail, for instance when memory has run out; the other rules are still judged. */
    private static Verdict ask(TableRule rule, Situation situation) {
        try {
            return rule.judge(situation);
        } catch (RuntimeException | VirtualMachineError | LinkageError e) {
            return new Verdict(null, new Check(rule.id, "The rule failed: " + e + ".", false));
        }
    }

    private static List<String> notes(Situation s, @Nullable Step step) {
        List<String> notes = new ArrayList<>();
        if (s.slo().isDefault()) {
            String text =
                    "No objectives are configured. The defaults apply: pauses of at most {}, and"
                            + " {} of the time for the application.";
            String pause = Text.millis(s.slo().pauseMaxMillis());
            notes.add(Text.of(text, pause, Text.share(s.slo().throughputMin())));
        }
        notes.add(sampling(s));
        notes.addAll(s.sites().notes());
        if (step != null) {
            String text = "The rate of allocation changed from {} at {}.";
            notes.add(Text.of(text, step.text(), step.at()));
        }
        return notes;
    }

    private static String sampling(Situation s) {
        if (s.sites().isEmpty()) {
            return "The sampler has no samples yet, so no finding names a site.";
        }
        long interval = s.sites().interval();
        double chance = -Math.expm1(-(double) (1 << 20) / Math.max(interval, 1));
        String text =
                "Samples are taken every {}: an object of 1 MiB is seen with a chance of {}, one"
                        + " of 136 bytes, such as the owner of a direct buffer, once in {}.";
        String once = Text.number(Math.max(interval / 136.0, 1));
        return Text.of(text, Text.bytes(interval), Text.share(chance), once);
    }
}
