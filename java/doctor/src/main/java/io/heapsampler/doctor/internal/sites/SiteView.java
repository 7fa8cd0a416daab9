// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeapTotals;
import io.heapsampler.Liveness;
import io.heapsampler.doctor.internal.timeline.LiveSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The figures of the sites in one snapshot. For one thread at a time. */
final class SiteView {

    /** The figures of one site. */
    private static final class Sums {
        final SiteName name;
        final SiteSum allocated = new SiteSum();
        final SiteSum live = new SiteSum();
        final SiteSum held = new SiteSum();
        final SiteSum retained = new SiteSum();
        final SiteSum young = new SiteSum();
        final SiteSum humongous = new SiteSum();
        final Set<Integer> epochs = new HashSet<>();

        Sums(SiteName name) {
            this.name = name;
        }
    }

    private final Map<SiteName, Sums> bySite = new HashMap<>();
    private final double allocated;
    private final SiteBook.Totals totals;
    private int leftOut;

    /**
     * Works them out.
     *
     * @param snapshot of the sampler
     * @param ahead by how many milliseconds its times are ahead of those of the collections
     * @param live when collections looked for garbage in the old generation
     * @param regionSize of G1, in bytes; −1 if there are no regions
     */
    SiteView(HeapSnapshot snapshot, long ahead, LiveSet live, long regionSize) {
        long twoOldsAgo = live.beginOf(2);
        long lastOld = live.beginOf(1);
        Map<HeapSite, Sums> sums = new HashMap<>();
        for (HeapSite site : snapshot.sites()) {
            Sums of = bySite.computeIfAbsent(SiteName.of(site), Sums::new);
            of.allocated.add(site.allocated().bytes());
            of.live.add(site.live().bytes());
            of.held.add(site.live().bytes());
            of.held.add(site.unconfirmed().bytes());
            sums.put(site, of);
        }
        long humongousBytes = regionSize > 0 ? regionSize / 2 : Long.MAX_VALUE;
        for (HeapSample sample : snapshot.samples()) {
            Sums of = sums.get(sample.site());
            if (of != null) {
                add(of, sample, ahead, twoOldsAgo, lastOld, humongousBytes);
            }
        }
        allocated = snapshot.totals().allocated().bytes().value();
        totals = totals(snapshot.totals());
    }

    private SiteBook.Totals totals(HeapTotals all) {
        SiteSum churn = new SiteSum();
        churn.add(all.allocated().bytes());
        SiteSum humongous = new SiteSum();
        bySite.values().forEach(each -> humongous.add(each.humongous.bytes()));
        return new SiteBook.Totals(
                churn.shareOf(churn.value()), all.live().bytes(), humongous.bytes());
    }

    SiteBook.Totals totals() {
        return totals;
    }

    private static void add(
            Sums of,
            HeapSample sample,
            long ahead,
            long twoOldsAgo,
            long lastOld,
            long humongousBytes) {
        if (sample.size() >= humongousBytes) {
            of.humongous.add(sample);
        }
        if (sample.liveness() == Liveness.LIVE) {
            long born = sample.allocatedAt().toEpochMilli() - ahead;
            of.epochs.add(sample.collectionsSurvived());
            if (born < twoOldsAgo) {
                of.retained.add(sample);
            } else if (born >= lastOld) {
                of.young.add(sample);
            }
        }
    }

    /**
     * Keeps the given number of sites, as far as they have room. Sites that rules search for by
     * class come first, because they can be small. Then come the sites with the most allocated or
     * held bytes.
     */
    void keepLargest(int most, SiteRoom room) {
        double held = 0;
        for (Sums each : bySite.values()) {
            held += each.held.value();
        }
        double allHeld = held;
        int kept = 0;
        List<SiteName> gone = new ArrayList<>();
        List<SiteName> ranked =
                bySite.entrySet().stream()
                        .sorted(
                                Comparator.comparingDouble(
                                        e -> -rank(e.getKey(), e.getValue(), allHeld)))
                        .map(Map.Entry::getKey)
                        .toList();
        for (SiteName name : ranked) {
            if (kept == most || !room.take(name.className(), name.stack())) {
                gone.add(name);
            } else {
                kept++;
            }
        }
        gone.forEach(bySite::remove);
        leftOut = gone.size();
    }

    /** How many sites were not kept. */
    int leftOut() {
        return leftOut;
    }

    /** Returns what a site is called in this snapshot; null if it is not there. */
    @Nullable SiteName nameOf(SiteName equal) {
        Sums sums = bySite.get(equal);
        return sums == null ? null : sums.name;
    }

    private double rank(SiteName name, Sums sums, double allHeld) {
        boolean isAskedFor =
                OffHeap.isOwner(name.className())
                        || ReferenceMakers.isReference(name.className())
                        || ReferenceMakers.isClassLoader(name.className());
        double share =
                Math.max(
                        sums.allocated.value() / Math.max(allocated, 1),
                        sums.held.value() / Math.max(allHeld, 1));
        return isAskedFor ? 1 + share : share;
    }

    List<SiteMetrics> metrics(SiteLives lives) {
        List<SiteMetrics> all = new ArrayList<>(bySite.size());
        for (Map.Entry<SiteName, Sums> each : bySite.entrySet()) {
            all.add(metrics(each.getKey(), each.getValue(), lives.of(each.getKey())));
        }
        return List.copyOf(all);
    }

    private SiteMetrics metrics(SiteName name, Sums sums, SiteLives.@Nullable SiteLife life) {
        Estimate none = Estimate.of(0, 0, 0, 0);
        return new SiteMetrics(
                name.className(),
                name.stack(),
                sums.allocated.shareOf(allocated),
                sums.live.bytes(),
                sums.held.bytes(),
                life == null ? none : life.reachedOld.bytes(),
                life == null ? none : life.promotedDead.bytes(),
                sums.retained.bytes(),
                sums.young.bytes(),
                sums.epochs.size(),
                sums.humongous.bytes());
    }
}
