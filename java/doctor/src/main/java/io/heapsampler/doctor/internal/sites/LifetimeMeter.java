// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Histogram;
import io.heapsampler.Survival;
import io.heapsampler.doctor.Lifetimes;
import io.heapsampler.doctor.SiteLifetime;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures lifetimes in a snapshot. The curve of all is the mean of those of the sites, weighed
 * with what each allocates, so that the few that are sampled often do not count more than their
 * bytes.
 */
public final class LifetimeMeter {

    private static final int SITES = 10;

    /** Sites with fewer samples have no curve, nor those of which none was watched for long. */
    private static final long LEAST_SAMPLES = 10;

    /** In a gap at most so much of all dies in each bucket. */
    private static final double FEW = 0.01;

    /** Both kinds must be so much of all. */
    private static final double LEAST_KIND = 0.02;

    /** A gap is this many powers of two. */
    private static final int LEAST_GAP = 3;

    /** Where nothing was sampled. */
    public static final Lifetimes NONE = new Lifetimes(List.of(), -1, -1, 0, -1, -1);

    private LifetimeMeter() {}

    static Lifetimes measure(HeapSnapshot snapshot, double collections) {
        double all = snapshot.totals().allocated().bytes().value();
        List<SiteLifetime> sites = new ArrayList<>();
        double[] sum = new double[0];
        double weight = 0;
        for (HeapSite site : snapshot.topByAllocated(Integer.MAX_VALUE)) {
            Survival curve = site.survival(Histogram.Unit.MILLISECONDS);
            if (site.allocated().samples() < LEAST_SAMPLES || Double.isNaN(curve.reaching(1))) {
                continue;
            }
            double bytes = site.allocated().bytes().value();
            sum = sum.length == 0 ? new double[curve.buckets()] : sum;
            add(curve, bytes, sum);
            weight += bytes;
            if (sites.size() < SITES) {
                sites.add(lifetime(site, curve, all));
            }
        }
        double seconds = Math.max(snapshot.duration().toMillis() / 1000.0, 0.001);
        return boundary(sites, sum, weight, all / seconds, collections / seconds);
    }

    /** Beyond what was watched the last share that is known goes on. */
    private static void add(Survival curve, double bytes, double[] sum) {
        double last = 1;
        for (int i = 0; i < sum.length; i++) {
            last = Double.isNaN(curve.reaching(i)) ? last : curve.reaching(i);
            sum[i] += bytes * last;
        }
    }

    private static SiteLifetime lifetime(HeapSite site, Survival curve, double all) {
        Survival byCollections = site.survival(Histogram.Unit.COLLECTIONS);
        Estimate bytes = site.allocated().bytes();
        double error = bytes.standardError() / all;
        int median = curve.bucketReachedBy(0.5);
        return new SiteLifetime(
                site.className(),
                site.stack(),
                Estimate.of(bytes.value() / all, error * error, 0, bytes.samples()),
                median < 0 ? -1 : curve.age(median),
                byCollections.reaching(1),
                byCollections.standardError(1),
                shares(curve),
                shares(byCollections));
    }

    private static List<Double> shares(Survival curve) {
        List<Double> shares = new ArrayList<>();
        for (int i = 0; i < curve.buckets(); i++) {
            shares.add(curve.reaching(i));
        }
        return shares;
    }

    /** Finds the longest run of buckets in which hardly anything dies, between two that do. */
    private static Lifetimes boundary(
            List<SiteLifetime> sites,
            double[] sum,
            double weight,
            double bytesPerSecond,
            double collectionsPerSecond) {
        int start = -1;
        int best = -1;
        int length = 0;
        for (int i = 0; i + 1 < sum.length; i++) {
            double reaching = sum[i] / weight;
            double dying = reaching - sum[i + 1] / weight;
            boolean isGap = dying < FEW && 1 - reaching >= LEAST_KIND && reaching >= LEAST_KIND;
            start = isGap ? (start < 0 ? i : start) : -1;
            if (isGap && i - start + 1 > length) {
                best = start;
                length = i - start + 1;
            }
        }
        if (length < LEAST_GAP) {
            return new Lifetimes(sites, -1, -1, 0, -1, -1);
        }
        long from = age(best);
        long to = age(best + length);
        double seconds = Math.sqrt((double) from * to) / 1000;
        return new Lifetimes(
                sites,
                from,
                to,
                1 - sum[best] / weight,
                bytesPerSecond * seconds,
                collectionsPerSecond * seconds);
    }

    /** The lower bounds of the buckets of {@link Histogram} after the first: 1, 2, 4, … ms. */
    private static long age(int bucket) {
        return 1L << (bucket - 1);
    }
}
