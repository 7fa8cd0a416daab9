// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The figures of the sites in one snapshot, and against the one before. */
final class SiteView {

    /** The figures of one site. */
    private static final class Sums {
        final SiteSum allocated = new SiteSum();
        final SiteSum live = new SiteSum();
        final SiteSum held = new SiteSum();
        final SiteSum retained = new SiteSum();
        final SiteSum young = new SiteSum();
        final SiteSum humongous = new SiteSum();
        final Set<Integer> epochs = new HashSet<>();
    }

    private final Map<SiteHistory.SiteName, Sums> bySite = new HashMap<>();
    private final double allocated;

    SiteView(HeapSnapshot snapshot, List<OldCollection> olds, long regionSize) {
        long twoOldsAgo = olds.size() < 2 ? Long.MIN_VALUE : olds.get(olds.size() - 2).at();
        long lastOld = olds.isEmpty() ? Long.MIN_VALUE : olds.get(olds.size() - 1).at();
        Map<HeapSite, Sums> sums = new HashMap<>();
        for (HeapSite site : snapshot.sites()) {
            Sums of = bySite.computeIfAbsent(SiteHistory.SiteName.of(site), n -> new Sums());
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
                add(of, sample, twoOldsAgo, lastOld, humongousBytes);
            }
        }
        allocated = snapshot.totals().allocated().bytes().value();
    }

    private static void add(
            Sums of, HeapSample sample, long twoOldsAgo, long lastOld, long humongousBytes) {
        if (sample.size() >= humongousBytes) {
            of.humongous.add(sample);
        }
        if (sample.liveness() == Liveness.LIVE) {
            long born = sample.allocated().toEpochMilli();
            of.epochs.add(sample.collectionsSurvived());
            if (born < twoOldsAgo) {
                of.retained.add(sample);
            } else if (born >= lastOld) {
                of.young.add(sample);
            }
        }
    }

    List<SiteMetrics> metrics(Map<SiteHistory.SiteName, SiteHistory.SiteLife> lives) {
        List<SiteMetrics> all = new ArrayList<>(bySite.size());
        for (Map.Entry<SiteHistory.SiteName, Sums> each : bySite.entrySet()) {
            all.add(metrics(each.getKey(), each.getValue(), lives.get(each.getKey())));
        }
        return List.copyOf(all);
    }

    private SiteMetrics metrics(
            SiteHistory.SiteName name, Sums sums, SiteHistory.@Nullable SiteLife life) {
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
