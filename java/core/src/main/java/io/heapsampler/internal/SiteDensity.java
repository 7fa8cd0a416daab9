// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.shared.Normal;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Names the sites where JDK 17 to 24 took too many or too few samples (JDK-8356372).
 *
 * <p>Section DENSITY of a block says, for each site, how many samples were found before the samples
 * of the site and how many intervals were passed to find them. If the JVM samples as it should, the
 * first is a Poisson process in the second, so for each r the mean of r^n exp(-(r - 1) x) is 1 at
 * most, n being the first number and x the second, whatever the program allocates and whenever it
 * ends. By Markov's inequality the chance that a mean of several of these exceeds 20 m is 1 in 20 m
 * at most. With m sites, at most 5 % of snapshots name any site without a cause. A thread that
 * begins may make the JVM draw the same numbers once again, so the exponent is divided by the
 * number of stretches between such threads. See section 9 of {@code native/doc/estimator.md}.
 */
final class SiteDensity {

    /** Ratios between which any other one is seen nearly as well. */
    private static final double[] RATIOS = {0.5, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 4};

    private static final double FALSE_ALARMS = 0.05;

    /** Smaller ones are not worth a note. */
    private static final double LEAST_EXCESS = 0.05;

    private static final int MOST_NAMED = 3;

    private final SnapshotData data;

    SiteDensity(SnapshotData data) {
        this.data = data;
    }

    /** Returns a measure of evidence: its mean is 1 at most where nothing is wrong. */
    static double evidence(double found, double passed, double stretches) {
        double sum = 0;
        for (double ratio : RATIOS) {
            sum += Math.exp((found * Math.log(ratio) - (ratio - 1) * passed) / stretches);
        }
        return sum / RATIOS.length;
    }

    /** Returns the sites with too many or too few samples, those first that matter most. */
    List<Integer> sites() {
        int count = data.siteFound.length;
        long known = IntStream.range(0, count).filter(site -> passed(site) > 0).count();
        double least = known / FALSE_ALARMS;
        double stretches = 1.0 + Math.max(0, data.info(Info.THREADS_BEGUN));
        return IntStream.range(0, count)
                .filter(site -> passed(site) > 0 && Math.abs(excess(site)) >= LEAST_EXCESS)
                .filter(site -> evidence(found(site), passed(site), stretches) >= least)
                .boxed()
                .sorted(Comparator.comparingDouble(site -> -Math.abs(found(site) - passed(site))))
                .collect(Collectors.toList());
    }

    /** Returns up to three of these sites in words; empty if there is none. */
    String named() {
        List<Integer> sites = sites();
        String names =
                sites.stream().limit(MOST_NAMED).map(this::name).collect(Collectors.joining("; "));
        int more = sites.size() - MOST_NAMED;
        return more > 0 ? names + "; and " + more + " more" : names;
    }

    private double found(int site) {
        return data.siteFound[site];
    }

    private double passed(int site) {
        return data.sitePassed[site];
    }

    private double excess(int site) {
        return found(site) / passed(site) - 1;
    }

    private String name(int site) {
        double excess = excess(site);
        double bound = Normal.Z95 * Math.sqrt(Math.max(1, found(site))) / passed(site);
        return data.siteClassName(site)
                + place(site)
                + (excess < 0 ? " -" : " +")
                + Notes.percent(Math.abs(excess))
                + " % (± "
                + Notes.percent(bound)
                + ")";
    }

    private String place(int site) {
        if (data.siteDepth(site) == 0) {
            return "";
        }
        int frame = data.siteFrame(site, 0);
        int line = data.frameLine(frame);
        return " at "
                + data.frameText(frame, 0)
                + "."
                + data.frameText(frame, 2)
                + (line < 0 ? "" : ":" + line);
    }
}
