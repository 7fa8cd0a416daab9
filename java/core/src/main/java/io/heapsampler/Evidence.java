// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * The sampled objects that speak for the growth of one site, and those that speak against it. An
 * object that is the same in all snapshots speaks for neither and is not added.
 *
 * <p>Objects are sampled independently of each other, so the variances of their contributions add.
 */
final class Evidence {

    /** No sum is taken to be known better than to 0.1 %, unless it is exact. */
    private static final double MOST_SAMPLES = 1e6;

    private double more;
    private double moreVariance;
    private double less;
    private double lessVariance;
    private double objectsVariance;
    private double heaviest;
    private long samples;

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
        objectsVariance += objects * objects * missed;
        heaviest = Math.max(heaviest, bytes * missed);
        samples++;
    }

    /** Adds all objects of another site. */
    void addAll(Evidence other) {
        more += other.more;
        moreVariance += other.moreVariance;
        less += other.less;
        lessVariance += other.lessVariance;
        objectsVariance += other.objectsVariance;
        heaviest = Math.max(heaviest, other.heaviest);
        samples += other.samples;
    }

    /** Returns the growth in bytes, of which the value is known from elsewhere. */
    Estimate bytes(double value) {
        return Estimate.signed(value, moreVariance + lessVariance, samples);
    }

    /** Returns the growth from one amount to another. */
    Amount growth(Amount from, Amount to) {
        double objects = Slope.difference(to.objects().value(), from.objects().value());
        return new Amount(
                bytes(Slope.difference(to.bytes().value(), from.bytes().value())),
                Estimate.signed(objects, objectsVariance, samples),
                to.sampledBytes() - from.sampledBytes(),
                to.samples() - from.samples());
    }

    /**
     * Says whether enough samples have changed to judge growth. This does not depend on which of
     * them speak for growth.
     */
    boolean isEnough() {
        return samples > 0 && !bytes(0).hasTooFewSamples();
    }

    /**
     * Returns the chance (p-value) that a site that does not grow shows this much evidence.
     *
     * <p>For samples of one weight the count of one side, given the count of both, is binomial, and
     * this is the exact test. For samples of different weights each sum is taken to be a gamma
     * variable of the same mean and variance. To the side that speaks against growth one sample of
     * the greatest weight is added, as it may just have been missed (Fay and Feuer, 1997; Fay,
     * Proschan and Brittain, 2015). That errs on the safe side.
     */
    double chance() {
        if (more <= less) {
            return 1;
        }
        if (moreVariance + lessVariance == 0) {
            return 0;
        }
        double against = less + heaviest;
        double counted = count(more, moreVariance);
        double countedAgainst = count(against, lessVariance + heaviest * heaviest);
        double weight = more / counted;
        double weightAgainst = against / countedAgainst;
        return BetaDistribution.below(
                weightAgainst / (weight + weightAgainst), counted, countedAgainst);
    }

    /** Returns of how many samples of one weight a sum has this variance. */
    private static double count(double sum, double variance) {
        return sum * sum / Math.max(variance, sum * sum / MOST_SAMPLES);
    }
}
