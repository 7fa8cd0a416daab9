// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeapTotals;
import io.heapsampler.Liveness;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The figures of the sites in one snapshot. For one thread at a time. */
final class SiteView {

    /** What is the same for a site in different snapshots; the stack is {@link Places#kept}. */
    record Name(String className, List<HeapFrame> stack) {
        static Name of(HeapSite site) {
            return new Name(site.className(), Places.kept(site.stack()));
        }

        // Written out: to link the generated ones takes 60 classes of the JVM.

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Name that
                    && className.equals(that.className)
                    && stack.equals(that.stack);
        }

        @Override
        public int hashCode() {
            return 31 * className.hashCode() + stack.hashCode();
        }
    }

    /** The figures of one site. */
    private static final class Sums {
        final SiteSum allocated = new SiteSum();
        final SiteSum live = new SiteSum();
        SiteSum held = new SiteSum();
        final SiteSum retained = new SiteSum();
        final SiteSum humongous = new SiteSum();
        final Set<Integer> epochs = new HashSet<>();
        double rank;
    }

    private final Map<Name, Sums> bySite = new HashMap<>();
    private final HeapTotals all;
    private final long interval;

    /** Its times are ahead of those of the live set by some milliseconds; without regions, −1. */
    SiteView(HeapSnapshot snapshot, long ahead, LiveSet live, long regionSize) {
        all = snapshot.totals();
        interval = snapshot.interval();
        Map<HeapSite, Sums> sums = new HashMap<>();
        for (HeapSite site : snapshot.sites()) {
            Sums of = bySite.computeIfAbsent(Name.of(site), name -> new Sums());
            of.allocated.add(site.allocated().bytes());
            of.live.add(site.live().bytes());
            of.held.add(site.live().bytes());
            of.held.add(site.unconfirmed().bytes());
            sums.put(site, of);
        }
        long twoOldsAgo = live.beginOf(2);
        long humongousBytes = regionSize > 0 ? regionSize / 2 : Long.MAX_VALUE;
        for (HeapSample sample : snapshot.samples()) {
            Sums of = sums.get(sample.site());
            if (of != null && sample.size() >= humongousBytes) {
                of.humongous.add(sample);
            }
            if (of != null && sample.liveness() == Liveness.LIVE) {
                of.epochs.add(sample.collectionsSurvived());
                if (sample.allocatedAt().toEpochMilli() - ahead < twoOldsAgo) {
                    of.retained.add(sample);
                }
            }
        }
    }

    /** Without knowing which have died, all count as held: for a snapshot of some seconds. */
    void holdAll() {
        for (Sums each : bySite.values()) {
            each.held = each.allocated;
        }
    }

    SiteBook.Totals totals(SiteLives lives) {
        SiteSum churn = new SiteSum();
        churn.add(all.allocated().bytes());
        SiteSum humongous = new SiteSum();
        bySite.values().forEach(each -> humongous.add(each.humongous.bytes()));
        return new SiteBook.Totals(
                churn.shareOf(churn.value()),
                all.live().bytes(),
                humongous.bytes(),
                lives.promoted(),
                lives.oldCollections(),
                interval,
                meanSize());
    }

    private double meanSize() {
        Estimate objects = all.allocated().objects();
        return objects.hasTooFewSamples() ? 0 : all.allocated().bytes().value() / objects.high();
    }

    /**
     * Returns the given number of sites, with what is known of their promotion. Those that rules
     * search for by class come first, because they can be small. Then come the sites with the most
     * allocated or held bytes.
     */
    List<SiteMetrics> largest(int most, SiteLives lives) {
        double held = bySite.values().stream().mapToDouble(each -> each.held.value()).sum();
        bySite.forEach((name, sums) -> sums.rank = rank(name, sums, held));
        return bySite.entrySet().stream()
                .sorted(Comparator.comparingDouble(each -> -each.getValue().rank))
                .limit(most)
                .map(each -> metrics(each.getKey(), each.getValue(), lives))
                .toList();
    }

    private double rank(Name name, Sums sums, double allHeld) {
        double allocated = sums.allocated.value() / Math.max(all.allocated().bytes().value(), 1);
        double share = Math.max(allocated, sums.held.value() / Math.max(allHeld, 1));
        boolean isSearched =
                KnownClasses.isOwner(name.className(), name.stack())
                        || KnownClasses.isReference(name.className())
                        || KnownClasses.isLoader(name.className());
        return isSearched ? 1 + share : share;
    }

    private SiteMetrics metrics(Name name, Sums sums, SiteLives lives) {
        SiteLives.SiteLife life = lives.of(name);
        return new SiteMetrics(
                name.className(),
                name.stack(),
                sums.allocated.shareOf(all.allocated().bytes().value()),
                sums.live.bytes(),
                sums.held.bytes(),
                life.reachedOld.bytes(),
                life.promotedDead.bytes(),
                sums.retained.bytes(),
                sums.epochs.size(),
                sums.humongous.bytes());
    }
}
