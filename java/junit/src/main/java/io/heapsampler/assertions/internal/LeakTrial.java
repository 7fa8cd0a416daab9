// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.LiveSeries.Kind;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks for leaks in three steps, of which clean code needs the first only.
 *
 * <ol>
 *   <li>After the first run, which loads classes, every allocation is recorded. One look at the
 *       live objects after warm-up, one after the iterations: if no site has grown, the trial ends.
 *   <li>Otherwise a proof, with a look after each run and the JVM's own count of each class; one
 *       collection serves both. It finds sites that filled up meanwhile, waited for a finalizer, or
 *       take the place of older objects.
 *   <li>Sites that grew in some runs and never shrank, such as an array that doubles when it is
 *       full, are followed over the later runs of {@link TrialRuns}.
 * </ol>
 *
 * <p>If a site is still open then, there is no verdict. Used by one thread.
 */
final class LeakTrial implements Rule.Trial {

    private enum Step {
        WARM_UP,
        ITERATIONS,
        PROOF,
        LATER,
        CLEARED,
        DONE
    }

    /** Longest wait between two counts with no run between. */
    private static final long LONGEST_PAUSE_NANOS = 100_000_000L;

    private final LeakRule rule;
    private final Settings settings;
    private final LeakLooks looks;
    private final LeakJudge judge;
    private final TrialRuns runs;
    private Step step = Step.WARM_UP;
    private int proofRuns;

    /** Not null if a leak may be held softly. */
    private @Nullable SoftlyHeld softly;

    private boolean isFull;
    private @Nullable LeakRecording recording;
    private @Nullable ClassCounts classes;
    private @Nullable HeapSnapshot last;

    LeakTrial(LeakRule rule, Settings settings) {
        this.rule = rule;
        this.settings = settings;
        this.looks = new LeakLooks(rule.scope(), settings.ownCode(), rule.looks());
        this.judge = new LeakJudge(rule, looks);
        this.runs = new TrialRuns(rule.warmupRuns());
    }

    @Override
    public Rule.Layer layer() {
        return Rule.Layer.SURVIVORS;
    }

    @Override
    public boolean needsMore() {
        return step != Step.DONE;
    }

    @Override
    public void run(Subject subject) throws Throwable {
        boolean isApart = subject.runs() == 0;
        if (isApart && classes != null) {
            Overhead.elsewhere(classes()::before); // a fresh instance: something lay between
        }
        runs.run(subject);
        if (recording == null) {
            if (rule.scope().threads() == ThreadScope.ALL) {
                Overhead.elsewhere(JvmCommand::prepareToCountObjects);
            }
            recording = new LeakRecording(rule);
        }
        recording().ran();
        if (runs.isLookDue() || step == Step.LATER || recording().isCrowded()) {
            Overhead.elsewhere(() -> afterRun(isApart));
        }
        if (isFull) {
            restart();
        }
    }

    private Step afterRun(boolean isApart) throws NotMeasuredException {
        if (!runs.isLookDue() && step != Step.LATER) {
            recording().look(); // takes dead objects out of the table
            return step;
        }
        switch (step) {
            case WARM_UP -> warmUp();
            case ITERATIONS -> iterations();
            case PROOF -> proof();
            case LATER -> later(isApart);
            case CLEARED -> cleared();
            case DONE -> throw new IllegalStateException("there is a verdict already");
        }
        return step;
    }

    private void enter(Step next, int steps) {
        step = next;
        runs.lookAfter(steps);
    }

    private LeakRecording recording() {
        return Objects.requireNonNull(recording);
    }

    private void warmUp() throws NotMeasuredException {
        HeapSnapshot snapshot = recording().begin();
        if (Drops.isThinned(snapshot)) {
            beginProof(snapshot);
        } else {
            looks.add(snapshot, runs.count());
            enter(Step.ITERATIONS, rule.iterations());
        }
    }

    private void iterations() throws NotMeasuredException {
        HeapSnapshot snapshot = recording().look();
        looks.add(snapshot, runs.count());
        if (judge.hasGrown()) {
            System.runFinalization();
            looks.removeLast();
            snapshot = recording().look();
            looks.add(snapshot, runs.count());
        }
        if (!judge.hasGrown() && recording().unseen(snapshot, looks).isExact()) {
            finish(snapshot);
        } else {
            beginProof(snapshot);
        }
    }

    private void beginProof(HeapSnapshot snapshot) {
        isFull = Drops.isThinned(snapshot);
        classes = new ClassCounts(rule.looks());
        proofRuns = rule.proofRuns();
        enter(Step.PROOF, 1);
    }

    /** Where the table of living objects was full, another recording may not fill it. */
    private void restart() throws Throwable {
        isFull = false;
        recording().close();
        recording = null;
        recording = new LeakRecording(rule);
        looks.clear();
        HeapSnapshot empty = Overhead.elsewhere(recording()::begin);
        looks.add(empty, runs.count());
        looks.add(empty, runs.count());
    }

    private void proof() throws NotMeasuredException {
        HeapSnapshot snapshot = lookWithClasses();
        proofRuns--;
        if (proofRuns > 0) {
            runs.lookAfter(1);
        } else {
            judge(snapshot);
        }
    }

    /** Ends the trial, unless more runs show more. */
    private void judge(HeapSnapshot snapshot) throws NotMeasuredException {
        LeakFindings findings = findingsWithIdle(snapshot);
        softly = softly(findings);
        if (softly != null) {
            finish(snapshot);
            softly.cleared(recording().lookWithoutSoft());
            enter(Step.CLEARED, Math.max(LeakRule.CLEARED_RUNS, judge.runsToDouble()));
        } else if (step != Step.LATER && isOpen(findings, snapshot)) {
            step = Step.LATER;
            runs.beginLater();
        } else {
            finish(snapshot);
        }
    }

    /** Prepares the experiment. It empties caches, so it is made only where a leak may be soft. */
    private @Nullable SoftlyHeld softly(LeakFindings findings) {
        if (findings.leaks.isEmpty()) {
            return null;
        }
        SoftlyHeld experiment = new SoftlyHeld(looks, recording().lookWithReach());
        return findings.sites().stream().anyMatch(experiment::isPossible) ? experiment : null;
    }

    private void cleared() throws NotMeasuredException {
        Objects.requireNonNull(softly).ran(recording().look());
        step = Step.DONE;
    }

    /** Would more runs show more? Not if there is a leak already. */
    private boolean isOpen(LeakFindings findings, HeapSnapshot snapshot) {
        if (!findings.leaks.isEmpty()) {
            return false;
        }
        return !findings.open.isEmpty()
                || (!recording().unseen(snapshot, looks).isExact() && hasOpenClass(findings));
    }

    private static boolean hasOpenClass(LeakFindings findings) {
        List<Leak> sure = findings.unexplained(Kind.GROWING);
        List<Leak> open = findings.unexplained(Kind.UNDECIDED);
        return sure != null && sure.isEmpty() && open != null && !open.isEmpty();
    }

    private void later(boolean isApart) throws NotMeasuredException {
        boolean isLate = runs.isLate();
        if (!runs.isLookDue() && !isLate) {
            if (recording().isCrowded()) {
                recording().look(); // takes dead objects out of the table
            }
            if (isApart) {
                classes().after();
            }
            return;
        }
        HeapSnapshot snapshot = lookWithClasses();
        if (isLate || looks.count() == rule.looks()) {
            judge(snapshot);
        } else {
            runs.lookLater();
        }
    }

    /**
     * Sorts the sites. If objects of a class died for newer ones, counts without a run between them
     * show whether they die by themselves.
     */
    private LeakFindings findingsWithIdle(HeapSnapshot snapshot) {
        LeakFindings findings = findings(snapshot);
        long pauseNanos = Math.min(runs.meanNanos(), LONGEST_PAUSE_NANOS);
        return classes().countIdle(findings.replaced, pauseNanos) ? findings(snapshot) : findings;
    }

    private HeapSnapshot lookWithClasses() throws NotMeasuredException {
        HeapSnapshot snapshot = recording().lookAfter(classes()::after);
        classes().mark(looks.count());
        looks.add(snapshot, runs.count());
        return snapshot;
    }

    private ClassCounts classes() {
        return Objects.requireNonNull(classes);
    }

    private LeakFindings findings(HeapSnapshot snapshot) {
        return new LeakFindings(rule, judge, looks, classes, !Drops.isThinned(snapshot));
    }

    private void finish(HeapSnapshot snapshot) {
        recording().stop();
        last = snapshot;
        step = Step.DONE;
    }

    @Override
    public Verdict verdict(String name) throws NotMeasuredException {
        if (last == null || step != Step.DONE) {
            throw new NotMeasuredException("There were too few runs.");
        }
        LeakFindings findings = findings(last);
        if (softly != null) {
            findings.takeOut(softly);
        }
        return new LeakVerdict(rule, settings, findings, last)
                .of(name, runs.count(), recording().unseen(last, looks));
    }

    @Override
    public void close() {
        if (recording != null) {
            recording.close();
        }
    }
}
