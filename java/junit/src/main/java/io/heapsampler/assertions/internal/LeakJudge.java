// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.LiveSeries.Kind;
import io.heapsampler.assertions.internal.LiveSeries.Trend;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the looks of a trial whether something leaks: a site with net growth, in objects or
 * in bytes, that goes on from run to run, and that older objects do not make up for by their death.
 */
final class LeakJudge {

    /** The look when all is warm. */
    static final int BASE = 0;

    /** The look after the iterations. */
    static final int LOOKED = 1;

    /** The look after the first run of the proof; those after its other runs follow. */
    static final int PROOF = 2;

    /**
     * The fewest later looks that tell chance from growth to which others contribute. Counts that
     * come and go in random order rise at each of three looks once in 4! = 24 cases. Fewer looks
     * leave it open.
     */
    private static final int FEWEST_LATER = 3;

    /**
     * Half of the growth: the share below which a class makes up for a site. If newer objects take
     * the place of older ones, the class does not grow; if the site leaks, the class grows as much
     * as the site. Half lies in the middle, so that noise of either sign has to be equally strong
     * to turn the answer.
     */
    private static final double HALF = 0.5;

    /**
     * The share of looks that settles a turnover after the proof alone, on either side. Each look
     * after a run is a vote, and noise turns some of them. With 7 of 10 votes, noise that turns one
     * vote in five gives the wrong answer once in 1,100 trials; noise that turns one in three, once
     * in 50, if the sum over all runs errs as well. A simple majority was wrong beside strings that
     * the JVM makes while it compiles, which turned five of ten votes. A greater share sends more
     * full caches into the later runs, which take two seconds.
     */
    private static final double MOST = 0.7;

    /**
     * Bytes per object from which bytes count beside objects. The JVM makes and frees strings and
     * their arrays at any time. In objects they outnumber a leak of one array a run; in bytes they
     * do not, if that array is larger than they are. Most take 24 to 100 bytes, so 200 leaves a
     * factor of two. Below it the count of objects decides alone.
     */
    private static final int LARGE = 200;

    private final LeakRule rule;
    private final LeakLooks looks;

    LeakJudge(LeakRule rule, LeakLooks looks) {
        this.rule = rule;
        this.looks = looks;
    }

    /** Has a site grown over the iterations by more than is accepted? */
    boolean hasGrown() {
        for (Leak.Site site : looks.sites()) {
            LiveSeries live = looks.of(site);
            if (live.hasGrown(BASE, LOOKED)
                    && !isWithin(live, BASE, LOOKED)
                    && !rule.allowed().covers(site.className(), site.stack())) {
                return true;
            }
        }
        return false;
    }

    /** Has a series grown by no more than is accepted? */
    boolean isWithin(LiveSeries live, int from, int to) {
        int runs = looks.run(to) - looks.run(from);
        return rule.perSite() > 0
                && live.bytes[to] - live.bytes[from] <= (double) rule.perSite() * runs;
    }

    /** Is more alive at the last look than after the first run of the proof? */
    boolean grewInProof(LiveSeries live) {
        return live.hasGrown(PROOF, last());
    }

    /** The last look. */
    int last() {
        return looks.count() - 1;
    }

    /** The last look after a single run. */
    private int lastOfProof() {
        return Math.min(last(), PROOF + rule.proofRuns() - 1);
    }

    /** Have all looks been made? */
    boolean isComplete() {
        return looks.count() == rule.looks();
    }

    /** Were there as many runs after the iterations as before, in which an array can double? */
    private boolean isDoubled() {
        return runsToDouble() <= 0;
    }

    /** How many runs more give it that time? */
    int runsToDouble() {
        return 2 * looks.run(LOOKED) - looks.run(last());
    }

    /**
     * Returns the trend of a series over the proof and the runs after it.
     *
     * @param isArray is it one of arrays, which are enlarged by steps?
     */
    Kind kind(LiveSeries live, boolean isArray) {
        return Kind.greater(kind(live.objects, false), kind(live.bytes, isArray && isPaused(live)));
    }

    private Kind kind(double[] counts, boolean isPaused) {
        Kind kind = Trend.of(counts, PROOF, lastOfProof()).afterEachRun();
        boolean isOpen = kind == Kind.UNDECIDED || isPaused;
        if (!isOpen || last() == lastOfProof()) {
            return isOpen ? Kind.UNDECIDED : kind;
        }
        Trend all = Trend.of(counts, PROOF, last());
        Trend later = afterProof(counts);
        if (isComplete()) {
            return all.afterMoreRuns(later);
        }
        Kind soFar = all.afterTooFewRuns(later, isDoubled());
        return isPaused && soFar == Kind.STILL && !isDoubled() ? Kind.UNDECIDED : soFar;
    }

    private Trend afterProof(double[] counts) {
        return Trend.of(counts, lastOfProof(), last());
    }

    /**
     * Was one array enlarged over the iterations, and did it stay as it was over the proof? It may
     * still be filling up.
     */
    private boolean isPaused(LiveSeries live) {
        boolean isOne = live.objects[LOOKED] <= live.objects[BASE] + 1;
        Trend trend = Trend.of(live.bytes, PROOF, lastOfProof());
        return isOne && trend.highs() + trend.falls() == 0;
    }

    /**
     * Returns the trend of a series to which others may contribute, such as the JVM's counts of a
     * class. Literals, names of classes and the like make such counts grow now and then, so growth
     * counts if each run shows it, or each of the later looks. An enlarged array shows by itself:
     * the same number of objects takes more bytes.
     */
    Kind kindOfOthers(LiveSeries live) {
        if (growsInEachRun(live)) {
            return Kind.GROWING;
        }
        if (kind(live, false) == Kind.STILL) {
            return Kind.STILL;
        }
        if (last() - lastOfProof() < FEWEST_LATER) {
            return Kind.UNDECIDED;
        }
        if (afterProof(live.objects).isRising() || afterProof(live.bytes).isRising()) {
            return Kind.GROWING;
        }
        return isEnlarged(live) ? Kind.UNDECIDED : Kind.STILL;
    }

    /** Did the same number of objects take more bytes more than once, and never less? */
    private boolean isEnlarged(LiveSeries live) {
        int steps = 0;
        for (int look = PROOF + 1; look <= last(); look++) {
            boolean isMore = live.bytes[look] > live.bytes[look - 1];
            steps += isMore && live.objects[look] == live.objects[look - 1] ? 1 : 0;
        }
        return steps >= 2 && Trend.of(live.bytes, PROOF, last()).falls() == 0;
    }

    /** Did a series grow in each run of the proof? */
    boolean growsInEachRun(LiveSeries live) {
        return Trend.of(live.objects, PROOF, lastOfProof()).isRising()
                || Trend.of(live.bytes, PROOF, lastOfProof()).isRising();
    }

    /**
     * Did older objects die, which no recording has seen, while a site grew? Then its class has
     * grown by less than {@link #HALF} of that. Objects from {@link #LARGE} on show in its bytes as
     * well: if these grow, larger ones may have taken the place of smaller ones, or small ones died
     * elsewhere, and more runs show whether that goes on.
     *
     * @param known the JVM's counts of the class; null if there are none
     * @return {@link Kind#STILL} if older ones died, {@link Kind#GROWING} if not
     */
    Kind turnover(LiveSeries live, @Nullable LiveSeries known) {
        if (known == null) {
            return Kind.GROWING;
        }
        Kind objects = turnover(live.objects, known.objects);
        double growth = live.objects[last()] - live.objects[PROOF];
        double bytes = live.bytes[last()] - live.bytes[PROOF];
        if (objects != Kind.STILL || bytes < growth * LARGE) {
            return objects;
        }
        Kind inBytes = turnover(live.bytes, known.bytes);
        if (inBytes == Kind.STILL || !isComplete()) {
            return inBytes == Kind.STILL ? Kind.STILL : Kind.UNDECIDED;
        }
        boolean goesOn = live.bytes[last()] > live.bytes[last() - FEWEST_LATER];
        return goesOn ? Kind.GROWING : Kind.STILL;
    }

    /**
     * The same by one amount. Of a few runs, {@link #MOST} must agree with the sum: other threads
     * make each run uncertain, and strings that the JVM makes when it compiles make the sum so.
     * When all looks are made, the majority of the later ones decides: each of them comes after
     * many runs, so that growth is far above the noise.
     */
    private Kind turnover(double[] live, double[] known) {
        if (isComplete()) {
            boolean isReplaced = shareMadeUpFor(live, known, lastOfProof()) > 0.5;
            return isReplaced ? Kind.STILL : Kind.GROWING;
        }
        double share = shareMadeUpFor(live, known, PROOF);
        boolean isMadeUpFor = isMadeUpFor(live, known);
        if (isMadeUpFor && share >= MOST) {
            return Kind.STILL;
        }
        return !isMadeUpFor && share <= 1 - MOST ? Kind.GROWING : Kind.UNDECIDED;
    }

    /** At which share of the looks at which a site grew has its class grown by less than half? */
    private double shareMadeUpFor(double[] live, double[] known, int from) {
        int grew = 0;
        int madeUpFor = 0;
        for (int look = from + 1; look <= last(); look++) {
            double growth = step(live, look);
            if (growth > 0) {
                grew++;
                madeUpFor += step(known, look) < growth * HALF ? 1 : 0;
            }
        }
        return grew == 0 ? 0 : (double) madeUpFor / grew;
    }

    /**
     * Has it grown by less than half over all looks? The look at which the two differ most does not
     * count: the JVM may have freed something else of that class.
     */
    private boolean isMadeUpFor(double[] live, double[] known) {
        int odd = PROOF + 1;
        for (int look = odd; look <= last(); look++) {
            odd = difference(live, known, look) > difference(live, known, odd) ? look : odd;
        }
        double growth = 0;
        double ofClass = 0;
        for (int look = PROOF + 1; look <= last(); look++) {
            growth += look == odd ? 0 : step(live, look);
            ofClass += look == odd ? 0 : step(known, look);
        }
        return growth > 0 && ofClass < growth * HALF;
    }

    private static double difference(double[] live, double[] known, int look) {
        return Math.abs(step(known, look) - step(live, look));
    }

    private static double step(double[] counts, int look) {
        return counts[look] - counts[look - 1];
    }

    /**
     * Does a class change without a run by as much as would conceal a leak, in objects and in
     * bytes? Then its counts excuse nothing. {@link #HALF} of the growth conceals it, in proportion
     * to the time: there are fewer idle intervals than runs. Where something lay between the runs,
     * each window counts by itself, and the change in one of them is enough.
     *
     * <p>When all looks are made, only a class that falls on the whole conceals anything. Half of
     * that fall is enough to doubt, since the idle counts are few.
     *
     * @param idle counts of the class between which the code did not run
     * @param isApart was each run counted by itself, so that chance adds up?
     */
    boolean changesByItself(LiveSeries live, LiveSeries idle, boolean isApart) {
        int intervals = ClassCounts.IDLE_COUNTS - 1;
        int to = isApart || isComplete() ? lastOfProof() : last();
        double runs = to - PROOF;
        double objects = (live.objects[to] - live.objects[PROOF]) / runs * HALF;
        double bytes = (live.bytes[to] - live.bytes[PROOF]) / runs * HALF;
        if (isComplete() && !isApart) {
            double fall = idle.objects[0] - idle.objects[intervals];
            return fall >= Math.max(1, objects) * intervals / 2;
        }
        double mostObjects = isApart ? Math.max(1, objects) : objects * intervals;
        double mostBytes = isApart ? bytes : bytes * intervals;
        return spread(idle.objects) >= mostObjects && spread(idle.bytes) >= Math.max(1, mostBytes);
    }

    private static double spread(double[] counts) {
        return DoubleStream.of(counts).max().orElseThrow()
                - DoubleStream.of(counts).min().orElseThrow();
    }
}
