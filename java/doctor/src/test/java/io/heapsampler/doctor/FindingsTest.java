// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Samples.finding;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingsTest {

    private final Findings findings = new Findings();
    private final List<String> heard = new ArrayList<>();

    private final Runnable mine =
            findings.add(this, finding -> heard.add(finding.id() + " " + finding.severity()));

    private static Diagnosis checked(String why) {
        return diagnosis(List.of(new Check("leak.growth", why, false)));
    }

    private static Diagnosis diagnosis(Finding... now) {
        return diagnosis(List.of(), now);
    }

    private static Diagnosis diagnosis(List<Check> checks, Finding... now) {
        Timeline timeline = Samples.timeline(List.of(), List.of());
        Situation situation = Situation.of(timeline, new SiteBook(), Slo.DEFAULT);
        return new Diagnosis(situation, List.of(now), checks, List.of());
    }

    private void at(long millis, Finding... now) {
        findings.update(diagnosis(now), millis);
    }

    @Test
    void aFindingIsReportedOnceWhileItIsPresent() {
        at(0, finding("gc.stall", Severity.WARNING));
        at(5_000, finding("gc.stall", Severity.WARNING));
        at(10_000, finding("gc.stall", Severity.WARNING), finding("jni.critical", Severity.INFO));

        assertThat(heard).containsExactly("gc.stall WARNING", "jni.critical INFO");
    }

    private static Finding held(Severity severity) {
        Finding bare = finding("leak.growth", severity);
        List<Evidence> evidence = List.of(new Evidence("held.by", 1, "share", "It holds all."));
        return bare.with(severity, evidence, List.of(), null);
    }

    /** Else a leak of a month would be reported every ten minutes, with each search. */
    @Test
    void aWarningIsReportedOnceMoreWithItsHolders() {
        at(0, finding("leak.growth", Severity.WARNING));
        at(5_000, held(Severity.INFO));
        assertThat(heard).hasSize(1);
        for (long millis = 10_000; millis < 3_600_000; millis += 10_000) {
            at(millis, held(Severity.WARNING));
            at(millis + 5_000, finding("leak.growth", Severity.WARNING));
        }

        assertThat(heard).containsExactly("leak.growth WARNING", "leak.growth WARNING");
    }

    /** A finding that flickers for a month, one judgement each five seconds. */
    @Test
    void oneThatComesAndGoesAllTheTimeIsReportedOnce() {
        for (long millis = 0; millis < 30L * 86_400_000; millis += 10_000) {
            at(millis, finding("gc.stall", Severity.WARNING));
            at(millis + 5_000);
        }

        assertThat(heard).containsExactly("gc.stall WARNING");
    }

    @Test
    void itIsReportedAgainWhenItBecomesWorse() {
        at(0, finding("gc.stall", Severity.INFO));
        at(5_000, finding("gc.stall", Severity.CRITICAL));
        at(10_000, finding("gc.stall", Severity.WARNING));
        at(15_000, finding("gc.stall", Severity.CRITICAL));

        assertThat(heard).containsExactly("gc.stall INFO", "gc.stall CRITICAL");
    }

    @Test
    void itIsReportedAgainWhenItWasAbsentForTwoMinutes() {
        at(0, finding("gc.stall", Severity.WARNING));
        at(Findings.FORGET_MILLIS, finding("gc.stall", Severity.WARNING));
        assertThat(heard).hasSize(1);
        at(Findings.FORGET_MILLIS + 5_000);
        at(Findings.FORGET_MILLIS * 2 + 1, finding("gc.stall", Severity.WARNING));

        assertThat(heard).hasSize(2);
    }

    /** Judging is paced: no judgement has shown that the finding was absent. */
    @Test
    void judgementsThatAreFarApartReportNothingTwice() {
        at(0, finding("gc.stall", Severity.WARNING));
        at(Findings.FORGET_MILLIS * 3, finding("gc.stall", Severity.WARNING));

        assertThat(heard).hasSize(1);
    }

    @Test
    void aListenerThatFailsKeepsNothingFromTheOthers() {
        mine.run();
        findings.add(
                this,
                finding -> {
                    throw new IllegalStateException("a listener of a test, which fails");
                });
        findings.add(
                this,
                finding -> {
                    throw new AssertionError("another, which fails worse");
                });
        findings.add(this, finding -> heard.add("second " + finding.id()));
        at(0, finding("gc.stall", Severity.WARNING));

        assertThat(heard).containsExactly("second gc.stall");
    }

    @Test
    void aClosedSubscriptionHearsNothingAndLeavesItsTwin() {
        List<String> twice = new ArrayList<>();
        java.util.function.Consumer<Finding> same = finding -> twice.add(finding.id());
        Runnable first = findings.add(this, same);
        findings.add(this, same);
        first.run();
        first.run();
        at(0, finding("gc.stall", Severity.WARNING));

        assertThat(twice).containsExactly("gc.stall");
    }

    @Test
    void theListenersOfAnOwnerGoTogether() {
        findings.add(findings, finding -> heard.add("another's " + finding.id()));
        findings.removeOf(this);
        at(0, finding("gc.stall", Severity.WARNING));

        assertThat(heard).containsExactly("another's gc.stall");
    }

    /** Where memory has run out, rules fail, and the leak that has filled it goes on. */
    @Test
    void aFindingIsNotTakenBackByARuleThatFails() {
        at(0, finding("leak.growth", Severity.CRITICAL));

        assertThat(findings.kept(checked("It does not grow.")).findings()).isEmpty();
        Diagnosis kept = findings.kept(checked("The rule failed: no memory."));
        assertThat(kept.findings()).containsExactly(finding("leak.growth", Severity.CRITICAL));
        assertThat(kept.checks()).isEmpty();
        assertThat(kept.notes())
                .singleElement()
                .asString()
                .startsWith("leak.growth could not be judged since ")
                .endsWith("The rule failed: no memory. Its last finding is repeated.");
        findings.update(kept, 5_000);
        assertThat(findings.kept(checked("The rule failed: again.")).findings()).hasSize(1);
    }

    /** A rule that goes on failing is broken: its last finding says nothing any more. */
    @Test
    void aFindingOfARuleThatFailsForGoodEndsWithTheReason() {
        at(0, finding("leak.growth", Severity.CRITICAL));
        Diagnosis failed = checked("The rule failed: a fault.");
        for (int i = 1; i <= Findings.REPEATS; i++) {
            Diagnosis kept = findings.kept(failed);
            assertThat(kept.findings()).as("judgement %d", i).hasSize(1);
            findings.update(kept, 5_000L * i);
        }

        assertThat(findings.kept(failed).findings()).isEmpty();
        assertThat(findings.kept(failed).checks()).isEqualTo(failed.checks());
        at(400_000, finding("leak.growth", Severity.CRITICAL));
        assertThat(findings.kept(failed).findings()).hasSize(1);
    }

    /** Nor does one come back that was over before the rule failed. */
    @Test
    void aFindingThatWasTakenBackIsNotRevivedByARuleThatFails() {
        at(0, finding("leak.growth", Severity.CRITICAL));
        at(5_000);

        assertThat(findings.kept(checked("The rule failed: no memory.")).findings()).isEmpty();
    }

    @Test
    void theWorstFindingIsStillTheFirst() {
        at(0, finding("leak.growth", Severity.INFO), finding("gc.stall", Severity.CRITICAL));
        Finding now = finding("pause.long", Severity.WARNING);
        Check failed = new Check("leak.growth", "The rule failed: no memory.", false);
        Check other = new Check("gc.stall", "The rule failed: no memory.", false);

        assertThat(findings.kept(diagnosis(List.of(failed, other), now)).findings())
                .extracting(Finding::id)
                .containsExactly("gc.stall", "pause.long", "leak.growth");
    }

    /** The file is read when the JVM has ended: what was found must still be there. */
    @Test
    void earlierFindingsStayInTheNotes() {
        at(0, finding("gc.stall", Severity.CRITICAL), finding("jni.critical", Severity.INFO));
        assertThat(findings.earlier(diagnosis(finding("gc.stall", Severity.CRITICAL)))).isEmpty();
        at(5_000, finding("gc.stall", Severity.WARNING));

        assertThat(findings.earlier(diagnosis()))
                .singleElement()
                .asString()
                .startsWith("Found earlier: CRITICAL gc.stall, from ");
        assertThat(findings.earlier(diagnosis(finding("gc.stall", Severity.WARNING)))).hasSize(1);
    }
}
