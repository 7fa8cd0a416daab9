// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The sampled objects that speak for the growth of one site, and those that speak against it. An
 * object that is the same in all snapshots speaks for neither and is not added.
 *
 * <p>Objects are sampled independently of each other, so the variances of their contributions add.
 */
final class Evidence {

    /** No sum is taken to be known better than to 0.1 %, unless it is exact. */
    private static final double MOST_SAMPLES = 1e6;

    private static final double FALSE_DISCOVERIES = 0.05;

    private double more;
    private double moreVariance;
    private double less;
    private double lessVariance;
    private double objects;
    private double objectsVariance;
    private double heaviest;
    private long samples;
    private double unseenMore;
    private double unseenLess;

    /**
     * Adds a sampled object.
     *
     * @param objects what it adds to the objects of the site, below 0 if it takes away
     * @param size its bytes
     * @param missed the chance with which it could have been missed
     */
    void add(double objects, double size, double missed) {
        double bytes = Math.abs(objects) * size;
        double variance = bytes * bytes * missed;
        if (objects > 0) {
            more += bytes;
            moreVariance += variance;
        } else {
            less += bytes;
            lessVariance += variance;
        }
        this.objects += Math.abs(objects);
        objectsVariance += objects * objects * missed;
        heaviest = Math.max(heaviest, bytes * missed);
        samples++;
    }

    /**
     * Says for how many bytes at most an object may stand that was missed, and of which nothing is
     * known.
     *
     * @param against one that would speak against growth
     * @param inFavour one that would speak for it
     */
    void mayHaveMissed(double against, double inFavour) {
        unseenLess = Math.max(unseenLess, against);
        unseenMore = Math.max(unseenMore, inFavour);
    }

    /** Adds all objects of another site. */
    void addAll(Evidence other) {
        more += other.more;
        moreVariance += other.moreVariance;
        less += other.less;
        lessVariance += other.lessVariance;
        objects += other.objects;
        objectsVariance += other.objectsVariance;
        heaviest = Math.max(heaviest, other.heaviest);
        samples += other.samples;
        mayHaveMissed(other.unseenLess, other.unseenMore);
    }

    /**
     * The root of the variance of a side without a sample: with none, as much as that of one that
     * was just missed.
     */
    private double unseen() {
        return samples == 0 || (more > 0 && less > 0) ? 0 : more > 0 ? unseenLess : unseenMore;
    }

    /** Returns the growth in bytes, of which the value is known from elsewhere. */
    Estimate bytes(double value) {
        double unseen = unseen();
        return Estimate.signed(value, moreVariance + lessVariance + unseen * unseen, samples);
    }

    /** The same in objects. One that was missed is taken to be as large as those seen are. */
    private Estimate objects(double value) {
        double unseen = samples == 0 ? 0 : unseen() * objects / (more + less);
        return Estimate.signed(value, objectsVariance + unseen * unseen, samples);
    }

    /** Returns the growth from one amount to another. */
    HeapAmount growth(HeapAmount from, HeapAmount to) {
        return HeapAmount.of(
                bytes(Slope.difference(to.bytes().value(), from.bytes().value())),
                objects(Slope.difference(to.objects().value(), from.objects().value())),
                to.sampledBytes() - from.sampledBytes(),
                to.samples() - from.samples());
    }

    /**
     * Returns whether enough samples have changed to judge growth. This does not depend on which of
     * them speak for growth.
     */
    boolean isEnough() {
        double leftToChance = moreVariance + lessVariance + unseenLess + unseenMore;
        return samples > 0 && !Estimate.signed(0, leftToChance, samples).hasTooFewSamples();
    }

    /**
     * Returns the chance (p-value) that a site that does not grow shows this much evidence.
     *
     * <p>For samples of one weight the count of one side, given the count of both, is binomial, and
     * this is the exact test. For samples of different weights each sum is taken to be a gamma
     * variable of the same mean and variance. To the side that speaks against growth one sample is
     * added that may just have been missed (Fay and Feuer, 1997; Fay, Proschan and Brittain, 2015).
     * It has the maximum weight possible there, see {@link Unseen}: its samples may have been
     * heavier than those of the other side. That errs on the safe side.
     */
    double chance() {
        if (more <= less) {
            return 1;
        }
        double missed = Math.max(heaviest, unseenLess);
        if (missed == 0) {
            return 0;
        }
        double against = less + missed;
        double counted = count(more, moreVariance);
        double countedAgainst = count(against, lessVariance + missed * missed);
        double weight = more / counted;
        double weightAgainst = against / countedAgainst;
        return BetaDistribution.below(
                weightAgainst / (weight + weightAgainst), counted, countedAgainst);
    }

    /** Returns of how many samples of one weight a sum has this variance. */
    private static double count(double sum, double variance) {
        return sum * sum / Math.max(variance, sum * sum / MOST_SAMPLES);
    }

    /**
     * Chooses from many sites those that grow, so that of the chosen ones 5 % at most do not grow,
     * in the mean over many runs: the false-discovery rate of Benjamini and Hochberg (1995). It
     * holds for independent sites, as sites are: each object is sampled by itself. Where no site
     * grows, the list is empty in 95 of 100 runs or more, however many sites there are.
     *
     * @param candidates sites that have enough samples; this may depend on how many samples have
     *     changed, but not on which of them speak for growth
     * @param chance the chance that the site would look like this if it did not grow
     * @return in the order of the candidates
     */
    static <T> List<T> discoveries(List<T> candidates, ToDoubleFunction<T> chance) {
        double[] sorted = candidates.stream().mapToDouble(chance).sorted().toArray();
        int found = sorted.length;
        while (found > 0 && sorted[found - 1] > limit(found, sorted.length)) {
            found--;
        }
        double limit = limit(found, sorted.length);
        return candidates.stream().filter(each -> chance.applyAsDouble(each) <= limit).toList();
    }

    private static double limit(int found, int candidates) {
        return found == 0 ? -1 : FALSE_DISCOVERIES * found / candidates;
    }
}
