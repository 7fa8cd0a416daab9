// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.SampleColumns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which sites grow, over several snapshots of one recording: a leak goes on growing, a cache stops
 * when it is full.
 *
 * <p>Two snapshots cannot tell a cache that is being filled from a leak. Take several, better five
 * than three, each with {@link SnapshotOptions#afterGc()}, so far apart that the application has
 * done its usual work several times in between. What grows only in the first half of them has
 * stopped, see {@link SiteGrowth#recentBytesPerSecond()}.
 *
 * <pre>{@code
 * List<HeapSnapshot> snapshots = new ArrayList<>();
 * for (int i = 0; i < 5; i++) {
 *     work();
 *     snapshots.add(HeapSampler.snapshot(SnapshotOptions.afterGc()));
 * }
 * HeapGrowth.of(snapshots).growing().stream().limit(3).forEach(System.out::println);
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class HeapGrowth {

    private static final int LEAST = 3;
    private static final int MOST = 32;

    private static final Comparator<SiteGrowth> BY_GROWTH =
            Comparator.comparingDouble(SiteGrowth::surely)
                    .thenComparingDouble(site -> site.bytesPerSecond().value())
                    .reversed()
                    .thenComparing(SiteGrowth::className);

    /**
     * Births are told by the clock of the wall: no two snapshots read it in the same microsecond.
     */
    private static final long JITTER_MICROS = 1_000;

    private final List<HeapSnapshot> snapshots;
    private final List<SiteGrowth> sites;

    private HeapGrowth(List<HeapSnapshot> snapshots, List<SiteGrowth> sites) {
        this.snapshots = snapshots;
        this.sites = sites;
    }

    /**
     * Compares snapshots of one recording.
     *
     * @param snapshots from 3 to 32 of them, oldest first, no two of the same time
     * @return how each site has grown
     * @throws IllegalArgumentException if there are too few or too many, or they are in another
     *     order
     */
    public static HeapGrowth of(List<HeapSnapshot> snapshots) {
        List<HeapSnapshot> copy = List.copyOf(snapshots);
        if (copy.size() < LEAST || copy.size() > MOST) {
            throw new IllegalArgumentException(
                    "growth needs from 3 to 32 snapshots, but there are "
                            + copy.size()
                            + (copy.size() < LEAST
                                    ? "; two are compared with HeapSnapshot.diff"
                                    : "; leave some of them out"));
        }
        for (int i = 1; i < copy.size(); i++) {
            if (copy.get(i).takenAtMicros() <= copy.get(i - 1).takenAtMicros()) {
                throw new IllegalArgumentException(
                        "snapshots must be in the order of their times, oldest first, but number "
                                + (i + 1)
                                + " was taken at "
                                + copy.get(i).takenAt()
                                + ", and the one before it at "
                                + copy.get(i - 1).takenAt());
            }
        }
        return new HeapGrowth(copy, sitesOf(copy));
    }

    private static List<SiteGrowth> sitesOf(List<HeapSnapshot> snapshots) {
        long[] times = snapshots.stream().mapToLong(HeapSnapshot::takenAtMicros).toArray();
        long[] confirmed = snapshots.stream().mapToLong(HeapGrowth::lastConfirmedMicros).toArray();
        Map<SiteKey, Living> bySite = new HashMap<>();
        SiteKeys keys = new SiteKeys();
        for (int i = 0; i < times.length; i++) {
            add(snapshots.get(i), i, keys.of(snapshots.get(i)), confirmed, bySite);
        }
        Slope whole = new Slope(times, 0);
        Slope recent = new Slope(times, (times.length - 1) / 2);
        List<SiteGrowth> sites = new ArrayList<>(bySite.size());
        bySite.forEach((key, living) -> sites.add(living.growth(key, whole, recent)));
        sites.sort(BY_GROWTH);
        return List.copyOf(sites);
    }

    /** Returns the birth of the youngest object that is confirmed: all that are older are, too. */
    private static long lastConfirmedMicros(HeapSnapshot snapshot) {
        SampleColumns samples = snapshot.data().samples;
        long last = Long.MIN_VALUE;
        for (int i = 0; i < samples.living; i++) {
            if (samples.liveness(i) == Liveness.LIVE.ordinal()) {
                last = Math.max(last, samples.allocatedMicros(i));
            }
        }
        return last;
    }

    private static void add(
            HeapSnapshot snapshot,
            int number,
            SiteKey[] keys,
            long[] confirmed,
            Map<SiteKey, Living> bySite) {
        Living[] living = new Living[keys.length];
        for (int i = 0; i < living.length; i++) {
            living[i] = bySite.computeIfAbsent(keys[i], key -> new Living(confirmed.length));
            living[i].addAmount(number, snapshot.sites().get(i).live());
        }
        SampleColumns samples = snapshot.data().samples;
        for (int i = 0; i < samples.living; i++) {
            if (samples.liveness(i) == Liveness.LIVE.ordinal()) {
                int first = 0;
                long born = samples.allocatedMicros(i) - JITTER_MICROS;
                while (first < number && confirmed[first] < born) {
                    first++;
                }
                living[samples.site(i)].addSample(number, first, samples, i);
            }
        }
    }

    /**
     * Returns the snapshots.
     *
     * @return oldest first; unmodifiable
     */
    public List<HeapSnapshot> snapshots() {
        return snapshots;
    }

    /**
     * Returns the time between the first and the last snapshot.
     *
     * @return more than 0
     */
    public Duration elapsed() {
        return Duration.between(
                snapshots.get(0).takenAt(), snapshots.get(snapshots.size() - 1).takenAt());
    }

    /**
     * Returns every site of any snapshot.
     *
     * @return the site that grows fastest for sure comes first, by the lower end of {@link
     *     SiteGrowth#bytesPerSecond()} or that of {@link SiteGrowth#recentBytesPerSecond()},
     *     whichever is less; a cache that only exchanges its entries is among the last;
     *     unmodifiable
     */
    public List<SiteGrowth> sites() {
        return sites;
    }

    /**
     * Returns the sites that grow, and have not stopped, by more than the chance of sampling
     * explains. Of many sites whose live bytes stay the same, about one in forty appears here all
     * the same; one whose live bytes go up and down does so when its last snapshots happen to be
     * high.
     *
     * @return fastest for sure first; without those of which there are {@linkplain
     *     Estimate#hasTooFewSamples() too few samples}
     */
    public List<SiteGrowth> growing() {
        return sites.stream()
                .filter(site -> site.surely() > 0 && !site.bytesPerSecond().hasTooFewSamples())
                .toList();
    }
}
