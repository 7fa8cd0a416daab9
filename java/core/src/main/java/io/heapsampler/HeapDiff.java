// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What has changed between two snapshots, by allocation site. Sites are the same when their class
 * and the methods of their stacks are equal; what different lines of a method allocate is added up.
 * So code that is called from two lines, before and after the first snapshot, is one site. {@link
 * #byLine()} keeps lines apart.
 *
 * <p>Take both snapshots with {@link SnapshotOptions#afterGc()} to look for leaks: then all that is
 * alive is confirmed on both sides.
 *
 * <pre>{@code
 * HeapDiff diff = after.diff(before);
 * diff.growing().stream().limit(3).forEach(System.out::println);
 * diff.notes().forEach(System.out::println); // such as: how small a growth goes unseen
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapDiff {

    private static final Comparator<SiteDelta> BY_GROWTH =
            Comparator.comparingDouble(SiteDelta::liveGrowth)
                    .thenComparingDouble(SiteDelta::allocatedGrowth)
                    .reversed()
                    .thenComparing(SiteDelta::className);

    private final HeapSnapshot earlier;
    private final HeapSnapshot later;
    private final boolean isByLine;
    private final Visibility visibility;

    /** Null until a site is first needed. */
    private @Nullable Sites sites;

    private HeapDiff(HeapSnapshot earlier, HeapSnapshot later, boolean isByLine) {
        this.earlier = earlier;
        this.later = later;
        this.isByLine = isByLine;
        this.visibility = new Visibility(List.of(earlier, later));
    }

    private record Sites(List<SiteDelta> deltas, Changes changes) {}

    /**
     * The figures of all sites with one key.
     *
     * @param site the one of them with most live bytes
     */
    private record Figures(HeapAmount allocated, HeapAmount live, @Nullable HeapSite site) {

        static final Figures NONE = new Figures(HeapAmount.ZERO, HeapAmount.ZERO, null);

        static Figures of(HeapSite site) {
            return new Figures(site.allocated(), site.live(), site);
        }

        Figures plus(Figures other) {
            return new Figures(
                    allocated.plus(other.allocated),
                    live.plus(other.live),
                    isLarger(other) ? other.site : site);
        }

        private boolean isLarger(Figures one) {
            return site == null
                    || (one.site != null
                            && one.site.live().bytes().value() > site.live().bytes().value());
        }
    }

    static HeapDiff between(HeapSnapshot earlier, HeapSnapshot later) {
        return new HeapDiff(earlier, later, false);
    }

    private synchronized Sites sites() {
        Sites known = sites;
        if (known == null) {
            known = compare();
            sites = known;
        }
        return known;
    }

    private Sites compare() {
        SiteKeys keys = new SiteKeys(isByLine);
        int[] numbersLater = keys.numbersOf(later);
        int[] numbersEarlier = keys.numbersOf(earlier);
        int count = keys.all().size();
        Changes changes = new Changes(earlier, numbersEarlier, later, numbersLater, count);
        Figures[] before = figures(earlier, numbersEarlier, count);
        Figures[] after = figures(later, numbersLater, count);
        boolean isSame = earlier.startedAt().equals(later.startedAt());
        List<SiteDelta> deltas = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            deltas.add(delta(keys.all().get(i), before[i], after[i], isSame, changes, i));
        }
        deltas.sort(BY_GROWTH);
        return new Sites(List.copyOf(deltas), changes);
    }

    private static SiteDelta delta(
            SiteKeys.Key key,
            Figures old,
            Figures now,
            boolean isSame,
            Changes changes,
            int number) {
        return new SiteDelta(
                key.className(),
                now.site == null ? key.stack() : now.site.stack(),
                now.site,
                isSame ? now.allocated.since(old.allocated) : now.allocated.minus(old.allocated),
                old.live,
                now.live,
                changes,
                number);
    }

    private static Figures[] figures(HeapSnapshot snapshot, int[] numbers, int sites) {
        Figures[] result = new Figures[sites];
        Arrays.fill(result, Figures.NONE);
        for (int i = 0; i < numbers.length; i++) {
            result[numbers[i]] = result[numbers[i]].plus(Figures.of(snapshot.sites().get(i)));
        }
        return result;
    }

    /**
     * {@return the same with lines kept apart: sites are the same when class and stack are equal,
     * see {@link HeapFrame#equals}}
     */
    public HeapDiff byLine() {
        return isByLine ? this : new HeapDiff(earlier, later, true);
    }

    /** {@return the earlier snapshot} */
    public HeapSnapshot earlier() {
        return earlier;
    }

    /** {@return the later snapshot} */
    public HeapSnapshot later() {
        return later;
    }

    /**
     * {@return the time between the two snapshots; negative if they were given in the wrong order}
     */
    public Duration elapsed() {
        return Duration.between(earlier.takenAt(), later.takenAt());
    }

    /**
     * {@return every site of either snapshot: the site whose confirmed live bytes have grown most
     * comes first, the one that has shrunk most last; unmodifiable}
     */
    public List<SiteDelta> deltas() {
        return sites().deltas();
    }

    /**
     * Returns the sites that have grown, apart from at most 5 % of the list: the false-discovery
     * rate over all sites, in the mean over many lists (Benjamini and Hochberg). Where no site
     * grows, the list is empty in at least 95 of 100 runs, however many sites there are. Each site
     * of the list has a growth whose 95 % interval lies above 0.
     *
     * <p>That is about chance in sampling. A site whose live bytes go up and down has truly grown
     * when the second snapshot happens to see it high; {@link HeapGrowth} looks at more snapshots.
     *
     * <p>With {@link SamplingStrategy#allocations} do not rely on the 5 %: a large object then
     * stands for many more bytes than a small one. A site that frees few large objects, none of
     * which was sampled, and allocates many small ones may be in the list.
     *
     * @return the largest lower bound of the growth first; unmodifiable; without those of
     *     {@linkplain Estimate#hasTooFewSamples() too few samples}, so without those that have
     *     grown by less than {@link #smallestVisible()}
     */
    public List<SiteDelta> growing() {
        List<SiteDelta> candidates =
                deltas().stream().filter(delta -> delta.growth().isEnough()).toList();
        return Evidence.discoveries(candidates, SiteDelta::chance).stream()
                .filter(delta -> delta.low() > 0)
                .sorted(Comparator.comparingDouble(SiteDelta::low).reversed())
                .toList();
    }

    /** {@return the allocations between the two snapshots: later minus earlier} */
    public HeapAmount allocated() {
        HeapAmount now = later.totals().allocated();
        HeapAmount old = earlier.totals().allocated();
        return earlier.startedAt().equals(later.startedAt()) ? now.since(old) : now.minus(old);
    }

    /**
     * {@return by how much the confirmed live objects have grown in total: later minus earlier,
     * negative if they have shrunk; its error is as that of {@link SiteDelta#live()}}
     */
    public HeapAmount live() {
        return sites().changes().ofAll().growth(earlier.totals().live(), later.totals().live());
    }

    /**
     * {@return the growth below which {@link #growing()} misses a site more often than not: that of
     * ten samples, see {@link HeapGrowth#smallestVisible()}, in bytes of small objects of one site;
     * 0 where each allocation was sampled; empty where samples were not chosen by bytes}
     */
    public OptionalLong smallestVisible() {
        return visibility.smallest();
    }

    /**
     * {@return the notes on this difference, in addition to the {@link HeapSnapshot#notes()} of the
     * snapshots, such as {@code smallest-growth}; unmodifiable; may be empty}
     */
    public List<Note> notes() {
        return visibility.notes();
    }

    /**
     * {@return how many sites have grown, and how small a growth goes unseen, such as {@code 0 of
     * 120 sites have grown; growth of a site below about 5 MiB mostly goes unseen}}
     */
    @Override
    public String toString() {
        return growing().size()
                + " of "
                + deltas().size()
                + " sites have grown"
                + visibility.clause();
    }
}
