// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.Survival;
import io.heapsampler.doctor.Lifetimes;
import io.heapsampler.doctor.SiteLifetime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * Measures lifetimes in a snapshot. The curve of all sites weighs each with its allocated bytes, so
 * that the few that are sampled often do not count more than their bytes.
 *
 * <p>The curve of a site ends where fewer than {@value #LEAST_AT_RISK} samples are at risk. From
 * there on its objects are taken to die like those of the sites that are still watched. The curve
 * of all sites ends where the sites that are still watched have less than half of the bytes that
 * have not died. Beyond its end nothing is claimed, so no gap lies there.
 */
public final class LifetimeMeter {

    private static final int SITES = 10;

    /** Sites with fewer samples have no curve, nor those of which none was watched for long. */
    private static final long LEAST_SAMPLES = 10;

    /** With fewer samples at risk a curve says nothing. */
    private static final double LEAST_AT_RISK = 10;

    /** The sites that are still watched have at least this share of the bytes that survive. */
    private static final double LEAST_WATCHED = 0.5;

    /** The maximum share of all bytes that dies in each bucket of a gap. */
    private static final double FEW = 0.01;

    /** The minimum share of each of the two kinds. */
    private static final double LEAST_KIND = 0.02;

    /** A gap is this many powers of two. */
    private static final int LEAST_GAP = 3;

    /** Where nothing was sampled. */
    public static final Lifetimes NONE = new Lifetimes(List.of(), -1, -1, 0, -1, -1);

    private LifetimeMeter() {}

    /**
     * The curve of a site.
     *
     * @param bytes that the site allocated
     * @param last the last bucket that has enough samples at risk
     */
    private record Curve(Survival survival, double bytes, int last) {
        double reaching(int bucket) {
            return survival.reaching(Math.min(bucket, last)).orElse(Double.NaN);
        }
    }

    static Lifetimes measure(HeapSnapshot snapshot, double collections) {
        double all = snapshot.totals().allocated().bytes().value();
        List<SiteLifetime> sites = new ArrayList<>();
        List<Curve> curves = new ArrayList<>();
        for (HeapSite site : snapshot.topByAllocated(Integer.MAX_VALUE)) {
            Survival survival = site.survival(HeapHistogram.Unit.MILLISECONDS);
            if (site.allocated().samples() < LEAST_SAMPLES || survival.reaching(1).isEmpty()) {
                continue;
            }
            int last = lastAtRisk(site, survival, snapshot.takenAt());
            curves.add(new Curve(survival, site.allocated().bytes().value(), last));
            if (sites.size() < SITES) {
                sites.add(lifetime(site, survival, all));
            }
        }
        double seconds = Math.max(snapshot.duration().toMillis() / 1000.0, 0.001);
        double[] shares = watched(together(curves), snapshot.duration().toMillis());
        return boundary(sites, shares, all / seconds, collections / seconds);
    }

    /** No object has been watched for longer than the sampler has run. */
    private static double[] watched(double[] shares, long millis) {
        int known = shares.length;
        while (known > 1 && age(known - 1) > millis) {
            known--;
        }
        return Arrays.copyOf(shares, known);
    }

    /** The last bucket that enough samples have reached; the last of all if no object lives on. */
    private static int lastAtRisk(HeapSite site, Survival survival, Instant now) {
        HeapHistogram died = site.lifetimes().byTime();
        double perObject = site.lifetimes().samples() / Math.max(died.total(), 1);
        double[] atRisk = new double[survival.buckets() + 1];
        for (HeapSample sample : site.samples()) {
            if (sample.liveness() == Liveness.LIVE) {
                long age = Duration.between(sample.allocatedAt(), now).toMillis();
                atRisk[bucketOf(age, survival)]++;
            }
        }
        for (int i = survival.buckets() - 1; i >= 0; i--) {
            atRisk[i] += atRisk[i + 1] + perObject * died.objects(i);
        }
        int last = 0;
        while (last + 1 < survival.buckets()
                && (atRisk[last + 1] >= LEAST_AT_RISK
                        || survival.reaching(last + 1).orElse(1) == 0)) {
            last++;
        }
        return last;
    }

    private static int bucketOf(long age, Survival survival) {
        int bucket = 0;
        while (bucket + 1 < survival.buckets() && survival.age(bucket + 1) <= age) {
            bucket++;
        }
        return bucket;
    }

    /** The share of all bytes that reaches each bucket, as far as that is known. */
    private static double[] together(List<Curve> curves) {
        int buckets = curves.isEmpty() ? 0 : curves.get(0).survival().buckets();
        double[] shares = new double[buckets];
        double share = 1;
        for (int i = 0; i < buckets; i++) {
            shares[i] = share;
            double surviving = 0;
            double watched = 0;
            double next = 0;
            for (Curve curve : curves) {
                double bytes = curve.bytes() * curve.reaching(i);
                surviving += bytes;
                if (curve.last() > i) {
                    watched += bytes;
                    next += curve.bytes() * curve.reaching(i + 1);
                }
            }
            if (surviving > 0 && watched < LEAST_WATCHED * surviving) {
                return Arrays.copyOf(shares, i + 1);
            }
            share *= watched > 0 ? next / watched : 0;
        }
        return shares;
    }

    private static SiteLifetime lifetime(HeapSite site, Survival curve, double all) {
        Survival byCollections = site.survival(HeapHistogram.Unit.COLLECTIONS);
        Estimate bytes = site.allocated().bytes();
        double error = bytes.standardError() / all;
        OptionalInt median = curve.bucketReachedBy(0.5);
        return new SiteLifetime(
                site.className(),
                site.stack(),
                Estimate.of(bytes.value() / all, error * error, 0, bytes.samples()),
                median.isEmpty() ? -1 : curve.age(median.getAsInt()),
                byCollections.reaching(1).orElse(Double.NaN),
                byCollections.standardError(1).orElse(Double.NaN),
                shares(curve),
                shares(byCollections));
    }

    private static List<Double> shares(Survival curve) {
        List<Double> shares = new ArrayList<>();
        for (int i = 0; i < curve.buckets(); i++) {
            shares.add(curve.reaching(i).orElse(Double.NaN));
        }
        return shares;
    }

    /** Finds the longest run of buckets in which hardly anything dies, between two that do. */
    private static Lifetimes boundary(
            List<SiteLifetime> sites,
            double[] shares,
            double bytesPerSecond,
            double collectionsPerSecond) {
        int start = -1;
        int best = -1;
        int length = 0;
        for (int i = 0; i + 1 < shares.length; i++) {
            double reaching = shares[i];
            double dying = reaching - shares[i + 1];
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
                1 - shares[best],
                bytesPerSecond * seconds,
                collectionsPerSecond * seconds);
    }

    /** The lower bounds of the buckets of {@link HeapHistogram} after the first: 1, 2, 4, … ms. */
    private static long age(int bucket) {
        return 1L << (bucket - 1);
    }
}
