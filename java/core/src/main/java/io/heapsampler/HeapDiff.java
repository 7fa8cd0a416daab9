// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What has changed between two snapshots, by allocation site. Sites are the same when class and
 * stack are equal, see {@link StackFrame}.
 *
 * <p>Take both snapshots with {@link SnapshotOptions#afterGc()} to look for leaks: then all that is
 * alive is confirmed on both sides.
 *
 * <pre>{@code
 * HeapDiff diff = after.diff(before);
 * diff.growing().stream().limit(3).forEach(System.out::println);
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class HeapDiff {

    private static final Comparator<SiteDelta> BY_GROWTH =
            Comparator.comparingDouble(SiteDelta::liveGrowth)
                    .thenComparingDouble(SiteDelta::allocatedGrowth)
                    .reversed()
                    .thenComparing(SiteDelta::className);

    private final HeapSnapshot earlier;
    private final HeapSnapshot later;
    private final List<SiteDelta> deltas;

    private HeapDiff(HeapSnapshot earlier, HeapSnapshot later, List<SiteDelta> deltas) {
        this.earlier = earlier;
        this.later = later;
        this.deltas = deltas;
    }

    /**
     * The figures of all sites with one key, which differ at most in the raw names of hidden
     * classes.
     */
    private record Figures(Amount allocated, Amount live, @Nullable HeapSite site) {

        static final Figures NONE = new Figures(Amount.ZERO, Amount.ZERO, null);

        static Figures of(HeapSite site) {
            return new Figures(site.allocated(), site.live(), site);
        }

        Figures plus(Figures other) {
            return new Figures(allocated.plus(other.allocated), live.plus(other.live), site);
        }
    }

    static HeapDiff between(HeapSnapshot earlier, HeapSnapshot later) {
        SiteKeys keys = new SiteKeys();
        Map<SiteKey, Figures> before = figures(keys.of(earlier), earlier);
        Map<SiteKey, Figures> after = figures(keys.of(later), later);
        List<SiteDelta> deltas = new ArrayList<>(Math.max(before.size(), after.size()));
        after.forEach(
                (key, now) -> {
                    Figures old = before.remove(key);
                    deltas.add(delta(key, old == null ? Figures.NONE : old, now));
                });
        before.forEach((key, old) -> deltas.add(delta(key, old, Figures.NONE)));
        deltas.sort(BY_GROWTH);
        return new HeapDiff(earlier, later, List.copyOf(deltas));
    }

    private static SiteDelta delta(SiteKey key, Figures old, Figures now) {
        return new SiteDelta(
                key.className(),
                now.site == null ? key.stack() : now.site.stack(),
                now.site,
                old.allocated,
                now.allocated,
                old.live,
                now.live);
    }

    /** In the order of the sites, so that what is equally large is in the same order each time. */
    private static Map<SiteKey, Figures> figures(SiteKey[] keys, HeapSnapshot snapshot) {
        Map<SiteKey, Figures> result = new LinkedHashMap<>(2 * keys.length);
        for (int i = 0; i < keys.length; i++) {
            Figures figures = Figures.of(snapshot.sites().get(i));
            result.merge(keys[i], figures, Figures::plus);
        }
        return result;
    }

    /**
     * Returns the earlier snapshot.
     *
     * @return the snapshot given to {@link HeapSnapshot#diff}
     */
    public HeapSnapshot earlier() {
        return earlier;
    }

    /**
     * Returns the later snapshot.
     *
     * @return the snapshot on which {@link HeapSnapshot#diff} was called
     */
    public HeapSnapshot later() {
        return later;
    }

    /**
     * Returns the time between the two snapshots.
     *
     * @return negative if they were given in the wrong order
     */
    public Duration elapsed() {
        return Duration.between(earlier.takenAt(), later.takenAt());
    }

    /**
     * Returns every site of either snapshot.
     *
     * @return the site whose confirmed live bytes have grown most comes first, the one that has
     *     shrunk most last; unmodifiable
     */
    public List<SiteDelta> deltas() {
        return deltas;
    }

    /**
     * Returns the sites that have grown by more than chance explains: the 95 % interval of their
     * growth in live bytes lies above 0. Of many sites that do not grow, about one in forty appears
     * here all the same.
     *
     * @return most growth first; unmodifiable; without those of {@linkplain
     *     Estimate#hasTooFewSamples() too few samples}
     */
    public List<SiteDelta> growing() {
        return deltas.stream().filter(HeapDiff::hasSurelyGrown).toList();
    }

    private static boolean hasSurelyGrown(SiteDelta delta) {
        Estimate growth = delta.live().bytes();
        return growth.low() > 0 && !growth.hasTooFewSamples();
    }

    /**
     * Returns what was allocated between the two snapshots.
     *
     * @return later minus earlier
     */
    public Amount allocated() {
        return later.totals().allocated().minus(earlier.totals().allocated());
    }

    /**
     * Returns by how much the confirmed live objects have grown in all.
     *
     * @return later minus earlier, negative if they have shrunk
     */
    public Amount live() {
        return later.totals().live().minus(earlier.totals().live());
    }
}
