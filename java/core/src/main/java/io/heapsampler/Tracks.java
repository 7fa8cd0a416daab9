// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Follows each sampled object through some snapshots, and adds up by site what it contributes to
 * slopes.
 *
 * <p>A slope is a sum of figures with fixed coefficients. So an object contributes its weight times
 * the sum of the coefficients of the snapshots in which it lives. One that lives in all of them
 * contributes nothing, neither to the slope nor to its error.
 */
final class Tracks {

    private final List<LiveSamples> snapshots;
    private final Slope[] slopes;
    private final Evidence[][] bySite;

    /** For each snapshot after the first: the number of each sample in the one before, or −1. */
    private final List<int[]> numbersBefore = new ArrayList<>();

    /** The largest size of each site. */
    private final double[] sizes;

    /** The last snapshot before which samples were thinned out, as far as is known; 0 if none. */
    private final int lastThinned;

    /** Of the samples of one snapshot: from which snapshot on they have had their weight. */
    private int[] since = new int[0];

    /** Of the samples of one snapshot: what they contribute with the weights from before. */
    private double[][] before = new double[0][];

    private Tracks(List<LiveSamples> snapshots, int sites, Slope... slopes) {
        this.snapshots = snapshots;
        this.slopes = slopes;
        this.bySite = new Evidence[sites][slopes.length];
        for (Evidence[] each : bySite) {
            Arrays.setAll(each, i -> new Evidence());
        }
        sizes = new double[sites];
        int thinned = 0;
        for (int k = 1; k < snapshots.size(); k++) {
            int[] numbers = snapshots.get(k).numbersIn(snapshots.get(k - 1));
            numbersBefore.add(numbers);
            thinned = isAnyHeavier(snapshots.get(k - 1), snapshots.get(k), numbers) ? k : thinned;
        }
        lastThinned = thinned;
    }

    private static boolean isAnyHeavier(LiveSamples earlier, LiveSamples later, int[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] >= 0 && later.chance(i) != earlier.chance(numbers[i])) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds up the contributions.
     *
     * @param snapshots in the order of the coefficients
     * @param sites how many there are
     * @return for each site one sum per slope
     */
    static Evidence[][] evidence(List<LiveSamples> snapshots, int sites, Slope... slopes) {
        Tracks tracks = new Tracks(snapshots, sites, slopes);
        for (int k = 0; k < snapshots.size(); k++) {
            tracks.enter(k);
            tracks.leave(k);
        }
        for (int site = 0; site < sites; site++) {
            tracks.addUnseen(site);
        }
        return tracks.bySite;
    }

    /** Begins the tracks of new samples, goes on with those of known ones. */
    private void enter(int k) {
        LiveSamples here = snapshots.get(k);
        int[] sinceNow = new int[here.count()];
        double[][] beforeNow = new double[here.count()][];
        for (int i = 0; i < sinceNow.length; i++) {
            int number = k == 0 ? -1 : numbersBefore.get(k - 1)[i];
            sizes[here.site(i)] = Math.max(sizes[here.site(i)], here.size(i));
            sinceNow[i] = k;
            if (number >= 0) {
                LiveSamples there = snapshots.get(k - 1);
                boolean isHeavier = here.chance(i) != there.chance(number);
                sinceNow[i] = isHeavier ? k : since[number];
                beforeNow[i] = isHeavier ? contributions(k - 1, number) : before[number];
            }
        }
        since = sinceNow;
        before = beforeNow;
    }

    /** Ends the tracks of the samples that are not in the next snapshot. */
    private void leave(int k) {
        boolean[] goesOn = new boolean[since.length];
        if (k < snapshots.size() - 1) {
            for (int number : numbersBefore.get(k)) {
                if (number >= 0) {
                    goesOn[number] = true;
                }
            }
        }
        for (int i = 0; i < goesOn.length; i++) {
            if (!goesOn[i]) {
                end(k, i);
            }
        }
    }

    private double[] contributions(int k, int i) {
        double[] result = before[i] == null ? new double[slopes.length] : before[i].clone();
        for (int s = 0; s < slopes.length; s++) {
            result[s] += slopes[s].sum(since[i], k) / snapshots.get(k).chance(i);
        }
        return result;
    }

    /**
     * Adds an object that was last seen in snapshot k. The mean square of its contribution is an
     * upper bound of the variance. The share (1 − p) of it is the variance itself where the sample
     * was first seen after the last thinning. Otherwise one that is gone may be one that was
     * thinned out, even where p is 1.
     */
    private void end(int k, int i) {
        LiveSamples samples = snapshots.get(k);
        boolean isExact = before[i] == null && since[i] >= lastThinned;
        double missed = isExact ? 1 - samples.chance(i) : 1;
        double[] objects = contributions(k, i);
        for (int s = 0; s < slopes.length; s++) {
            if (objects[s] != 0) {
                bySite[samples.site(i)][s].add(objects[s], samples.size(i), missed);
            }
        }
    }

    /**
     * Tells the evidence for how much an object may stand that was missed. At most it lived in all
     * snapshots that have coefficients below 0, or in all of those above 0.
     */
    private void addUnseen(int site) {
        for (int s = 0; s < slopes.length; s++) {
            double against = 0;
            double inFavour = 0;
            for (int k = 0; k < snapshots.size(); k++) {
                double bytes =
                        slopes[s].coefficient(k) * snapshots.get(k).unseen().bytes(sizes[site]);
                against -= Math.min(bytes, 0);
                inFavour += Math.max(bytes, 0);
            }
            bySite[site][s].mayHaveMissed(against, inFavour);
        }
    }
}
