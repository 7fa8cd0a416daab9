// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One series of runs under observation: what is alive in the end, by site and iteration. */
final class LeakLook implements AutoCloseable {

    private final LeakRule rule;
    private final int before;
    private final long interval;
    private final OlderThreads threads;
    private final Evidence evidence;
    private final Carriers carriers;
    private final long[] marks;
    private final List<Survivors> leaks = new ArrayList<>();
    private final List<Survivors> undecided = new ArrayList<>();
    private final List<Survivors> others = new ArrayList<>();
    private int runs;
    private @Nullable HeapSnapshot last;
    private @Nullable OlderThreads older;

    /** Begins to observe; the first {@code before} runs are not looked at. */
    LeakLook(LeakRule rule, int before, long interval) throws NotMeasuredException {
        this.rule = rule;
        this.before = before;
        this.interval = interval;
        threads = OlderThreads.of(rule.scope());
        evidence = Evidence.open(rule.scope(), interval);
        carriers = Carriers.others(rule.scope());
        marks = new long[rule.iterations() + 1];
        if (before == 0) {
            begin();
        }
    }

    private void begin() throws NotMeasuredException {
        HeapSnapshot first = evidence.snapshotAfterGc();
        older = threads.unseenIn(first); // the others have drawn anew by now
        marks[0] = Cohorts.time(first);
    }

    /** Observes one run more. */
    void run(Subject subject) throws Throwable {
        subject.run();
        runs++;
        if (runs == before) {
            begin();
        } else if (runs > before) {
            carriers.end();
            marks[runs - before] = Cohorts.time(evidence.snapshotAfterGc());
        }
        if (runs == before + rule.iterations()) {
            last = evidence.snapshotAfterGc(); // and what a finalizer kept
            evidence.stop();
            Cohorts.of(last, marks, rule.scope()).forEach(this::sort);
        }
    }

    boolean isDone() {
        return last != null;
    }

    /** Permissions are asked for only where one is needed. */
    private void sort(Survivors site) {
        boolean isLeak = site.leaksMoreThan(rule.perSite());
        boolean mayBe = isLeak || site.mayLeakMoreThan(rule.perSite(), interval);
        if (!mayBe || rule.allowed().allows(site.className(), site.stack())) {
            others.add(site);
        } else {
            (isLeak ? leaks : undecided).add(site);
        }
    }

    HeapSnapshot last() {
        return Objects.requireNonNull(last);
    }

    /** Sites that leak for sure. */
    List<Survivors> leaks() {
        return leaks;
    }

    /** Sites that do not. */
    List<Survivors> others() {
        return others;
    }

    /** The interval with which there would be a verdict; this one where that is not known. */
    long better() {
        if (!leaks.isEmpty()) {
            return interval;
        }
        if (Drops.isThinned(last())) {
            return Math.max(interval, Interval.coarsest(enough()));
        }
        return undecided.isEmpty() ? interval : 0;
    }

    long interval() {
        return interval;
    }

    /** Where something was lost or is too uncertain, it is not known that there is no leak. */
    void requireAllSeen() throws NotMeasuredException {
        String none = "none was seen in " + rule.iterations() + " iterations";
        Measured seen = Drops.ofLive(last(), Measured.exact(0, none, null));
        if (Cohorts.hasLost(last(), rule.scope())) {
            seen = lost(seen, CutStacks.REASON, CutStacks.HELP);
        }
        double unseen = Objects.requireNonNull(older).most();
        if (unseen >= enough()) {
            seen = lost(seen, OlderThreads.reason(unseen), OlderThreads.HELP);
        }
        if (carriers.bytes() >= enough()) {
            seen = lost(seen, carriers.reason(), Carriers.HELP);
        }
        if (!undecided.isEmpty()) {
            seen = lost(seen, uncertain(), "Let the code do less in one run, or raise perSite.");
        }
        if (!seen.isExact()) {
            throw new NotMeasuredException(
                    "A leak may have gone unseen: " + seen.how() + ". " + seen.remedy(), last);
        }
    }

    /** Bytes of all iterations; less is no leak beyond perSite. */
    private double enough() {
        return (double) rule.perSite() * rule.iterations();
    }

    private static Measured lost(Measured seen, String reason, String help) {
        return seen.widened(0, Double.POSITIVE_INFINITY, reason, help);
    }

    private String uncertain() {
        return "of "
                + undecided.size()
                + (undecided.size() == 1 ? " site" : " sites")
                + " it is too uncertain how much is left, one sample being taken every "
                + Bytes.exact(interval)
                + ", such as "
                + undecided.get(0).className();
    }

    @Override
    public void close() {
        evidence.close();
    }
}
