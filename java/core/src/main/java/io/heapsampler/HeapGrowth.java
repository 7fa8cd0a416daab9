// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.SampleColumns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which sites grow, over several snapshots of one recording: a leak goes on growing, a cache stops
 * when it is full. Sites are the same when their class and the methods of their stacks are equal,
 * as in {@link HeapDiff}; {@link #byLine()} keeps lines apart.
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
 * HeapGrowth growth = HeapGrowth.of(snapshots);
 * growth.growing().stream().limit(3).forEach(System.out::println);
 * growth.notes().forEach(System.out::println); // such as: how small a growth goes unseen
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class HeapGrowth {

    private static final int LEAST = 3;
    private static final int MOST = 32;

    private static final Comparator<SiteGrowth> BY_GROWTH =
            Comparator.comparingDouble(SiteGrowth::surely)
                    .thenComparingDouble(site -> site.bytesPerSecond().value())
                    .reversed()
                    .thenComparing(SiteGrowth::className);

    private final List<HeapSnapshot> snapshots;
    private final List<SiteGrowth> sites;
    private final Visibility visibility;

    private final boolean isByLine;

    private HeapGrowth(List<HeapSnapshot> snapshots, boolean isByLine) {
        this.visibility = new Visibility(snapshots);
        this.snapshots = snapshots;
        this.sites = sitesOf(snapshots, isByLine);
        this.isByLine = isByLine;
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
        return new HeapGrowth(copy, false);
    }

    private static List<SiteGrowth> sitesOf(List<HeapSnapshot> snapshots, boolean isByLine) {
        SiteKeys keys = new SiteKeys(isByLine);
        List<int[]> numbers = snapshots.stream().map(keys::numbersOf).toList();
        List<Living> living = living(snapshots, numbers, keys.all().size());
        List<LiveSamples> samples = new ArrayList<>();
        for (int i = 0; i < numbers.size(); i++) {
            samples.add(new LiveSamples(snapshots.get(i), numbers.get(i)));
        }
        long[] times = snapshots.stream().mapToLong(HeapSnapshot::takenAtMicros).toArray();
        Slope[] slopes = {new Slope(times, 0), new Slope(times, (times.length - 1) / 2)};
        Evidence[][] evidence = Tracks.evidence(samples, living.size(), slopes);
        List<SiteGrowth> sites = new ArrayList<>(living.size());
        for (int i = 0; i < living.size(); i++) {
            sites.add(living.get(i).growth(slopes, evidence[i]));
        }
        sites.sort(BY_GROWTH);
        return List.copyOf(sites);
    }

    private static List<Living> living(
            List<HeapSnapshot> snapshots, List<int[]> numbers, int sites) {
        List<Living> living = new ArrayList<>(sites);
        for (int i = 0; i < sites; i++) {
            living.add(new Living(snapshots.size()));
        }
        for (int k = 0; k < numbers.size(); k++) {
            int[] number = numbers.get(k);
            for (int i = 0; i < number.length; i++) {
                living.get(number[i]).add(k, snapshots.get(k).sites().get(i));
            }
        }
        int[] last = numbers.get(numbers.size() - 1);
        SampleColumns samples = snapshots.get(numbers.size() - 1).data().samples;
        for (int i = 0; i < samples.living; i++) {
            if (samples.liveness(i) == Liveness.LIVE.ordinal()) {
                living.get(last[samples.site(i)]).addLast(samples.survived(i));
            }
        }
        return living;
    }

    /**
     * {@return the same with lines kept apart: sites are the same when class and stack are equal,
     * see {@link HeapFrame#equals}}
     */
    public HeapGrowth byLine() {
        return new HeapGrowth(snapshots, true);
    }

    boolean isByLine() {
        return isByLine;
    }

    /** {@return the snapshots: oldest first; unmodifiable} */
    public List<HeapSnapshot> snapshots() {
        return snapshots;
    }

    /** {@return the time between the first and the last snapshot; more than 0} */
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
     * Returns the sites that grow, and have not stopped, apart from at most 5 % of the list: the
     * false-discovery rate over all sites, in the mean over many lists (Benjamini and Hochberg).
     * Where the live bytes of no site change, the list is empty in at least 95 of 100 runs, however
     * many sites there are. Each site of the list has slopes whose 95 % intervals lie above 0.
     *
     * <p>That is about chance in sampling. A site whose live bytes go up and down is in the list
     * when its last snapshots happen to be high.
     *
     * <p>With {@link SamplingStrategy#allocations} do not rely on the 5 %: a large object then
     * stands for many more bytes than a small one. A site that frees few large objects, none of
     * which was sampled, and allocates many small ones may be in the list.
     *
     * @return fastest for sure first; without those of which there are {@linkplain
     *     Estimate#hasTooFewSamples() too few samples}, so without those that have grown by less
     *     than {@link #smallestVisible()}
     */
    public List<SiteGrowth> growing() {
        List<SiteGrowth> candidates = sites.stream().filter(SiteGrowth::hasEnoughSamples).toList();
        return Evidence.discoveries(candidates, SiteGrowth::chance).stream()
                .filter(site -> site.surely() > 0)
                .toList();
    }

    /**
     * {@return the growth below which {@link #growing()} misses a site more often than not, in
     * bytes of small objects of one site, over all snapshots; 0 where each allocation was sampled;
     * empty where samples were not chosen by bytes}
     *
     * <p>A site is judged from ten samples on ({@link Estimate#hasTooFewSamples()}). The samples of
     * B bytes of small objects are Poisson distributed with mean B/(T·2ᴸ), where T is the sampling
     * interval and each of 2ᴸ samples is tracked. That mean is ten at B = 10·T·2ᴸ: 5 MiB at the
     * default interval of 512 KiB. An object that is larger than T is one sample at most, so it
     * takes ten of them.
     */
    public OptionalLong smallestVisible() {
        return visibility.smallest();
    }

    /**
     * Returns the interval with which growth of a site is seen: with a mean of 16 samples, which
     * are ten or more in 95 of 100 runs (Poisson). The growth is that from the first to the last
     * snapshot.
     *
     * @param bytes growth of one site, 1 or more
     * @return bytes for {@link SamplerOptions.Builder#interval}: the largest power of two up to a
     *     sixteenth of the growth; 0, each allocation, for less than 16 bytes
     * @throws IllegalArgumentException if there is no growth
     */
    public static long intervalToSee(long bytes) {
        return Visibility.intervalToSee(bytes);
    }

    /**
     * {@return the notes on this comparison, in addition to the {@link HeapSnapshot#notes()} of the
     * snapshots, such as {@code smallest-growth}; unmodifiable; may be empty}
     */
    public List<Note> notes() {
        return visibility.notes();
    }

    /**
     * {@return how many sites grow, and how small a growth goes unseen, such as {@code 0 of 120
     * sites grow over 5 snapshots; growth of a site below about 5 MiB mostly goes unseen}}
     */
    @Override
    public String toString() {
        return growing().size()
                + " of "
                + sites.size()
                + " sites grow over "
                + snapshots.size()
                + " snapshots"
                + visibility.clause();
    }

    /** What was confirmed live of one site in each of some snapshots. */
    private static final class Living {

        private final HeapAmount[] amounts;
        private final double[] bytes;
        private final Set<Integer> survivedInLast = new HashSet<>();

        /** The site to show, the snapshot in which it is, and its live bytes there. */
        private @Nullable HeapSite shown;

        private int shownIn = -1;
        private double shownBytes;

        Living(int snapshots) {
            amounts = new HeapAmount[snapshots];
            Arrays.fill(amounts, HeapAmount.ZERO);
            bytes = new double[snapshots];
        }

        /** Adds a site with this key. Of those in the last snapshot the largest is shown. */
        void add(int snapshot, HeapSite site) {
            HeapAmount live = site.live();
            amounts[snapshot] = amounts[snapshot].plus(live);
            bytes[snapshot] += live.bytes().value();
            if (snapshot > shownIn || live.bytes().value() > shownBytes) {
                shown = site;
                shownIn = snapshot;
                shownBytes = live.bytes().value();
            }
        }

        /** Adds an object of the last snapshot, with how many collections it has survived. */
        void addLast(int survived) {
            survivedInLast.add(survived);
        }

        SiteGrowth growth(Slope[] slopes, Evidence[] evidence) {
            return new SiteGrowth(
                    Objects.requireNonNull(shown),
                    List.of(amounts),
                    evidence[0].bytes(slopes[0].of(bytes)),
                    evidence[1].bytes(slopes[1].of(bytes)),
                    Math.max(evidence[0].chance(), evidence[1].chance()),
                    evidence[0].isEnough(),
                    survivedInLast.size());
        }
    }
}
