// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.List;

/** One series of runs under observation: what is alive in the end, by site and iteration. */
final class LeakLook implements AutoCloseable {

    private final LeakRule rule;
    private final long interval;
    private final Evidence evidence;
    private final HeapSnapshot last;
    private final List<Survivors> leaks = new ArrayList<>();
    private final List<Survivors> undecided = new ArrayList<>();
    private final List<Survivors> others = new ArrayList<>();
    private final OlderThreads older;
    private final Carriers carriers;

    /** Runs the code, {@code before} times unobserved. */
    LeakLook(LeakRule rule, Subject subject, int before, long interval) throws Throwable {
        this.rule = rule;
        this.interval = interval;
        OlderThreads threads = OlderThreads.of(rule.scope());
        evidence = Evidence.open(rule.scope(), interval);
        boolean isDone = false;
        try {
            carriers = Carriers.others(rule.scope());
            runs(subject, before);
            HeapSnapshot first = evidence.snapshotAfterGc();
            older = threads.unseenIn(first); // the others have drawn anew by now
            long[] marks = new long[rule.iterations() + 1];
            marks[0] = Cohorts.time(first);
            for (int i = 1; i < marks.length; i++) {
                runs(subject, 1);
                carriers.end();
                marks[i] = Cohorts.time(evidence.snapshotAfterGc());
            }
            last = evidence.snapshotAfterGc(); // and what a finalizer kept
            evidence.stop();
            Cohorts.of(last, marks, rule.scope()).forEach(this::sort);
            isDone = true;
        } finally {
            if (!isDone) {
                evidence.close();
            }
        }
    }

    private static void runs(Subject subject, int count) throws Throwable {
        for (int i = 0; i < count; i++) {
            boolean isFirst = subject.runs() == 0;
            try {
                subject.run();
            } catch (Throwable e) {
                throw isFirst ? e : Failures.notRepeatable(subject, Failures.Again.LEAKS, e);
            }
        }
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
        return last;
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
        if (Drops.isThinned(last)) {
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
        Measured seen = Drops.ofLive(last, Measured.exact(0, none, null));
        if (Cohorts.hasLost(last, rule.scope())) {
            seen = lost(seen, CutStacks.REASON, CutStacks.HELP);
        }
        if (older.most() >= enough()) {
            seen = lost(seen, OlderThreads.reason(older.most()), OlderThreads.HELP);
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
