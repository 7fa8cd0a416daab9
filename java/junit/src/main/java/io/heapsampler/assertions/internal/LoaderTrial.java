// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.internal.shared.ClassLoaders;
import io.heapsampler.internal.shared.HeapReach;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks for class loaders that stay, in the steps of {@link LeakTrial}: one look when all is warm,
 * one after the iterations. If no loader of the iterations is alive, the trial ends. Otherwise
 * there is a look after each of some runs, during which the allocation of such loaders is recorded,
 * and later ones where these leave it open. Used by one thread.
 */
final class LoaderTrial implements Rule.Trial {

    private enum Step {
        WARM_UP,
        ITERATIONS,
        PROOF,
        LATER,
        DONE
    }

    /** How often, and how far apart, a thread that ends after its run is waited for. */
    private static final int WAITS = 10;

    private static final long PAUSE_NANOS = 50_000_000L;

    /** Only its collections are needed. */
    private static final long FEW_SAMPLES = 512 * 1024;

    /** Classes of loaders whose allocation is recorded. */
    private static final int MOST_RECORDED = 16;

    private static final Scope UNRECORDED = scope(List.of("java.lang.ClassLoader"));

    private final LoaderRule rule;
    private final LeakRule often;
    private final Settings settings;
    private final LoaderLooks looks;
    private final LoaderJudge judge;
    private final TrialRuns runs;
    private Step step = Step.WARM_UP;
    private int proofRuns;

    /** Classes of loaders that are to be recorded from the next run on; empty for none. */
    private List<String> recorded = List.of();

    private @Nullable Evidence evidence;
    private @Nullable HeapSnapshot last;

    LoaderTrial(LoaderRule rule, Settings settings) {
        this.rule = rule;
        this.often = rule.runs();
        this.settings = settings;
        this.looks = new LoaderLooks(rule::counts, ClassLoaders::visit);
        this.judge = new LoaderJudge(often, looks);
        this.runs = new TrialRuns(often.warmupRuns());
    }

    private static Scope scope(List<String> classNames) {
        return new Scope(ThreadScope.ALL, classNames, List.of(), List.of(), List.of());
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
        if (!recorded.isEmpty()) {
            evidence = Evidence.open(scope(recorded), 0); // here, so that this thread is seen
            recorded = List.of();
        }
        runs.run(subject);
        if (runs.count() == 1) {
            requireUnloading();
            evidence = Evidence.open(UNRECORDED, FEW_SAMPLES);
        }
        boolean isLate = runs.isLate();
        if (runs.isLookDue() || isLate) {
            Overhead.elsewhere(() -> afterRun(isLate));
        }
    }

    private static void requireUnloading() throws NotMeasuredException {
        if ("false".equals(JvmCommand.option("ClassUnloading"))) {
            throw new NotMeasuredException(
                    "This JVM unloads no classes (-XX:-ClassUnloading or -Xnoclassgc), so that each"
                            + " class loader stays. Run the test without that option.");
        }
    }

    private Evidence evidence() {
        return Objects.requireNonNull(evidence);
    }

    private Step afterRun(boolean isLate) throws NotMeasuredException {
        look();
        switch (step) {
            case WARM_UP -> enter(Step.ITERATIONS, rule.iterations());
            case ITERATIONS -> iterations();
            case PROOF -> proof();
            case LATER -> later(isLate);
            case DONE -> throw new IllegalStateException("there is a verdict already");
        }
        return step;
    }

    private void enter(Step next, int steps) {
        step = next;
        runs.lookAfter(steps);
    }

    private void look() throws NotMeasuredException {
        try {
            looks.find();
        } catch (HeapSamplingUnavailableException e) {
            throw new NotMeasuredException(e.reason() + ": " + e.getMessage());
        } catch (IllegalStateException e) {
            throw new NotMeasuredException(String.valueOf(e.getMessage()));
        }
        collect();
        looks.add(runs.count());
    }

    private void collect() throws NotMeasuredException {
        last = evidence().snapshotAfterGc();
    }

    private void iterations() throws NotMeasuredException {
        if (judge.hasLeft()) {
            System.runFinalization();
            looks.removeLast();
            look();
        }
        Set<String> left = looks.classesSince(LeakJudge.BASE);
        if (left.isEmpty()) {
            step = Step.DONE;
            return;
        }
        evidence().close();
        recorded = left.stream().map(LoaderTrial::plain).distinct().limit(MOST_RECORDED).toList();
        proofRuns = often.proofRuns();
        enter(Step.PROOF, 1);
    }

    /** Samples cannot be filtered by the name of a hidden class. */
    private static String plain(String className) {
        int slash = className.indexOf('/');
        return slash < 0 ? className : className.substring(0, slash);
    }

    private void proof() throws NotMeasuredException {
        proofRuns--;
        if (proofRuns > 0) {
            runs.lookAfter(1);
        } else if (judge.isOpen()) {
            step = Step.LATER;
            runs.beginLater();
        } else {
            finish();
        }
    }

    private void later(boolean isLate) throws NotMeasuredException {
        if (isLate || looks.count() == often.looks() || !judge.isOpen()) {
            finish();
        } else {
            runs.lookLater();
        }
    }

    /** Loaders that only soft references hold go now; so do those of threads that are ending. */
    private void finish() throws NotMeasuredException {
        step = Step.DONE;
        evidence().stop();
        if (judge.suspects().isEmpty()) {
            return;
        }
        HeapReach.ageSoftReferences();
        collect();
        System.runFinalization();
        for (int i = 0; i < WAITS && judge.hasReplaced(); i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            collect();
            looks.dropDead();
        }
        collect();
        looks.dropDead();
    }

    @Override
    public Verdict verdict(String name) throws NotMeasuredException {
        if (step != Step.DONE) {
            throw new NotMeasuredException("There were too few runs.");
        }
        return new LoaderVerdict(rule, settings, looks, judge, evidence(), last)
                .of(name, runs.count());
    }

    @Override
    public void close() {
        if (evidence != null) {
            evidence.close();
        }
    }
}
