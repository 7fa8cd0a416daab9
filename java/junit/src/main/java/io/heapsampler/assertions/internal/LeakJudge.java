// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.Trend.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tells from the looks of a trial what leaks: a site with net growth, in objects or in bytes, that
 * goes on from run to run, and that is not made up for by older objects that went.
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

    /** Returns the sites that have grown over the iterations by more than is accepted. */
    List<LeakSite> grown() {
        return looks.sites().stream()
                .filter(site -> looks.of(site).hasGrown(BASE, LOOKED))
                .filter(site -> !isWithin(looks.of(site), BASE, LOOKED))
                .filter(site -> !rule.allowed().covers(site.className(), site.stack()))
                .toList();
    }

    /** Has a series grown by no more than is accepted? */
    boolean isWithin(LiveSeries live, int from, int to) {
        double bytes = live.bytes(to) - live.bytes(from);
        int runs = looks.run(to) - looks.run(from);
        return rule.perSite() > 0 && bytes <= (double) rule.perSite() * runs;
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

    /**
     * Returns the trend of a series over the proof and the runs after it.
     *
     * @param isArray is it one of arrays, which are made larger by steps?
     */
    Kind kind(LiveSeries live, boolean isArray) {
        boolean isPaused = isArray && isPaused(live);
        return greater(
                kind(live.objects(PROOF, last()), false),
                kind(live.bytes(PROOF, last()), isPaused));
    }

    private Kind kind(double[] counts, boolean isPaused) {
        int ofProof = lastOfProof() - PROOF + 1;
        Kind kind = Trend.of(Arrays.copyOf(counts, ofProof)).afterEachRun();
        boolean isOpen = kind == Kind.UNDECIDED || isPaused;
        if (!isOpen || counts.length == ofProof) {
            return isOpen ? Kind.UNDECIDED : kind;
        }
        Trend all = Trend.of(counts);
        Trend later = Trend.of(afterProof(counts));
        if (isComplete()) {
            return all.afterMoreRuns(later);
        }
        Kind soFar = all.afterTooFewRuns(later, isDoubled());
        return isPaused && soFar == Kind.STILL && !isDoubled() ? Kind.UNDECIDED : soFar;
    }

    private double[] afterProof(double[] counts) {
        return Arrays.copyOfRange(counts, lastOfProof() - PROOF, counts.length);
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
     * Was one array made larger over the iterations, and did it stay as it was over the proof? It
     * may be filling up still.
     */
    private boolean isPaused(LiveSeries live) {
        boolean isOne = live.objects(LOOKED) <= live.objects(BASE) + 1;
        Trend trend = Trend.of(live.bytes(PROOF, lastOfProof()));
        return isOne && trend.highs() + trend.falls() == 0;
    }

    /**
     * Returns the trend of a series to which others may contribute, such as the JVM's counts of a
     * class. Literals, names of classes and the like make such counts grow now and then, so growth
     * counts if each run shows it, or each of the later looks. An array that is made larger shows
     * by itself: the same number of objects takes more bytes.
     */
    Kind kindOfOthers(LiveSeries live) {
        if (growsInEachRun(live)) {
            return Kind.GROWING;
        }
        if (kind(live, false) == Kind.STILL) {
            return Kind.STILL;
        }
        boolean isRising =
                Trend.of(afterProof(live.objects(PROOF, last()))).isRising()
                        || Trend.of(afterProof(live.bytes(PROOF, last()))).isRising();
        if (last() - lastOfProof() >= FEWEST_LATER) {
            return isRising ? Kind.GROWING : isEnlarged(live) ? Kind.UNDECIDED : Kind.STILL;
        }
        return Kind.UNDECIDED;
    }

    /** Did the same number of objects take more bytes more than once, and never less? */
    private boolean isEnlarged(LiveSeries live) {
        int steps = 0;
        for (int look = PROOF + 1; look <= last(); look++) {
            boolean isMore = live.bytes(look) > live.bytes(look - 1);
            steps += isMore && live.objects(look) == live.objects(look - 1) ? 1 : 0;
        }
        return steps >= 2 && Trend.of(live.bytes(PROOF, last())).falls() == 0;
    }

    /** Did a series grow in each run of the proof? */
    boolean growsInEachRun(LiveSeries live) {
        int to = lastOfProof();
        return greater(
                        Trend.of(live.objects(PROOF, to)).afterEachRun(),
                        Trend.of(live.bytes(PROOF, to)).afterEachRun())
                == Kind.GROWING;
    }

    private static Kind greater(Kind one, Kind other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /**
     * Did older objects go, which no recording has seen, while a site grew? Then its class has
     * grown by less than {@link #HALF} of that. Objects from {@link #LARGE} on show in its bytes as
     * well: if these grow, larger ones may have taken the place of smaller ones, or small ones went
     * elsewhere, and more runs tell whether that goes on.
     *
     * @param known what the JVM has counted of the class; null if it could not
     * @return {@link Kind#STILL} if older ones went, {@link Kind#GROWING} if not
     */
    Kind turnover(LiveSeries live, @Nullable LiveSeries known) {
        if (known == null) {
            return Kind.GROWING;
        }
        Kind objects = turnover(live, known, LiveSeries::objects);
        double growth = live.objects(last()) - live.objects(PROOF);
        double bytes = live.bytes(last()) - live.bytes(PROOF);
        if (objects != Kind.STILL || bytes < growth * LARGE) {
            return objects;
        }
        Kind inBytes = turnover(live, known, LiveSeries::bytes);
        if (inBytes == Kind.STILL || !isComplete()) {
            return inBytes == Kind.STILL ? Kind.STILL : Kind.UNDECIDED;
        }
        boolean goesOn = live.bytes(last()) > live.bytes(last() - FEWEST_LATER);
        return goesOn ? Kind.GROWING : Kind.STILL;
    }

    /**
     * The same by one amount. Of a few runs, {@link #MOST} must agree with the sum: other threads
     * make each run uncertain, and strings that the JVM makes when it compiles make the sum so.
     * When all looks are made, the majority of the later ones decides: each of them comes after
     * many runs, so that growth is far above the noise.
     */
    private Kind turnover(
            LiveSeries live, LiveSeries known, ToDoubleBiFunction<LiveSeries, Integer> amount) {
        if (isComplete()) {
            boolean isReplaced = shareMadeUpFor(live, known, amount, lastOfProof()) > 0.5;
            return isReplaced ? Kind.STILL : Kind.GROWING;
        }
        double share = shareMadeUpFor(live, known, amount, PROOF);
        boolean isMadeUpFor = isMadeUpFor(live, known, amount);
        if (isMadeUpFor && share >= MOST) {
            return Kind.STILL;
        }
        return !isMadeUpFor && share <= 1 - MOST ? Kind.GROWING : Kind.UNDECIDED;
    }

    /** At which share of the looks at which a site grew has its class grown by less than half? */
    private double shareMadeUpFor(
            LiveSeries live,
            LiveSeries known,
            ToDoubleBiFunction<LiveSeries, Integer> amount,
            int from) {
        int grew = 0;
        int madeUpFor = 0;
        for (int look = from + 1; look <= last(); look++) {
            double growth = step(live, amount, look);
            if (growth > 0) {
                grew++;
                madeUpFor += step(known, amount, look) < growth * HALF ? 1 : 0;
            }
        }
        return grew == 0 ? 0 : (double) madeUpFor / grew;
    }

    /**
     * Has it grown by less than half over all looks? That at which the two differ most does not
     * count: the JVM may have freed something else of that class.
     */
    private boolean isMadeUpFor(
            LiveSeries live, LiveSeries known, ToDoubleBiFunction<LiveSeries, Integer> amount) {
        double growth = 0;
        double ofClass = 0;
        double oddGrowth = 0;
        double oddOfClass = 0;
        for (int look = PROOF + 1; look <= last(); look++) {
            double step = step(live, amount, look);
            double stepOfClass = step(known, amount, look);
            growth += step;
            ofClass += stepOfClass;
            if (Math.abs(stepOfClass - step) > Math.abs(oddOfClass - oddGrowth)) {
                oddGrowth = step;
                oddOfClass = stepOfClass;
            }
        }
        return growth - oddGrowth > 0 && ofClass - oddOfClass < (growth - oddGrowth) * HALF;
    }

    private static double step(
            LiveSeries series, ToDoubleBiFunction<LiveSeries, Integer> amount, int look) {
        return amount.applyAsDouble(series, look) - amount.applyAsDouble(series, look - 1);
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
        double objects = (live.objects(to) - live.objects(PROOF)) / runs * HALF;
        double bytes = (live.bytes(to) - live.bytes(PROOF)) / runs * HALF;
        if (isComplete() && !isApart) {
            double fall = idle.objects(0) - idle.objects(intervals);
            return fall >= Math.max(1, objects) * intervals / 2;
        }
        double mostObjects = isApart ? Math.max(1, objects) : objects * intervals;
        double mostBytes = isApart ? bytes : bytes * intervals;
        return spread(idle.objects(0, intervals)) >= mostObjects
                && spread(idle.bytes(0, intervals)) >= Math.max(1, mostBytes);
    }

    private static double spread(double[] counts) {
        double least = counts[0];
        double most = counts[0];
        for (double count : counts) {
            least = Math.min(least, count);
            most = Math.max(most, count);
        }
        return most - least;
    }
}
