// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.SampleFilter;
import io.heapsampler.SiteGrowth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of a label that explains most: surely more than half of some bytes, and clearly more of
 * them than of all allocated bytes. So a value under which nearly all code runs is not named, nor
 * one of a key without a second value.
 *
 * @param label such as {@code tenant=acme}
 * @param share its share of the bytes
 */
record LabelShare(String label, NamedSites.Share share) {

    /** The only evidence that has a value of a label. */
    static final String EVIDENCE = "label.explained";

    /** No value explains most. */
    static final LabelShare NONE = new LabelShare("", new NamedSites.Share(0, 0, Double.NaN));

    private static final int MOST_KEYS = 32;

    /** Growth of a value takes as long to compute as that of all. */
    private static final int TRIES = 2;

    private static final double CLEARLY = 0.1;

    /**
     * A value of a label.
     *
     * @param live its live bytes
     * @param usual its share of all allocated bytes
     * @param share its share of the bytes in question, without regard to errors and sites
     */
    private record Value(String key, String value, Estimate live, double usual, double share) {

        boolean isLess(Value other) {
            return share - usual < other.share - other.usual;
        }
    }

    /** Of the live bytes of a snapshot. */
    static LabelShare ofLive(HeapSnapshot now) {
        Estimate whole = now.totals().live().bytes();
        for (Value value : largest(now, null)) {
            NamedSites.Share share = share(value.live, whole);
            if (isNamed(value, share)) {
                return new LabelShare(value.key + "=" + value.value, share);
            }
        }
        return NONE;
    }

    /** Of what samples show to grow at some places, see {@link Places#place}. */
    static LabelShare ofGrowth(HeapGrowth growth, Set<String> places) {
        List<HeapSnapshot> all = growth.snapshots();
        Estimate whole = rate(growth, places, false);
        for (Value value : largest(all.get(all.size() - 1), all.get(0))) {
            SampleFilter filter = SampleFilter.label(value.key, value.value);
            List<HeapSnapshot> filtered = new ArrayList<>();
            for (HeapSnapshot each : all) {
                filtered.add(each.filter(filter));
            }
            HeapGrowth part = HeapGrowth.of(filtered);
            NamedSites.Share share = share(rate(part, places, false), whole);
            if (isNamed(value, share) && rate(part, places, true).low() > 0) {
                return new LabelShare(value.key + "=" + value.value, share);
            }
        }
        return NONE;
    }

    private static boolean isNamed(Value value, NamedSites.Share share) {
        return share.isMost()
                && !share.isMoreThanAll()
                && share.ratio() - share.error() >= value.usual + CLEARLY;
    }

    private static NamedSites.Share share(Estimate part, Estimate whole) {
        SiteEvidence line = new SiteEvidence("", List.of(), "labelled", part, "bytes");
        return NamedSites.Share.of(List.of(line), whole);
    }

    /** Bytes a second; the recent ones are those of the later half. */
    private static Estimate rate(HeapGrowth growth, Set<String> places, boolean isRecent) {
        Estimate sum = SiteSum.ZERO;
        for (SiteGrowth site : growth.sites()) {
            if (places.contains(Places.place(site.className(), Places.kept(site.stack())))) {
                sum = sum.plus(isRecent ? site.recentBytesPerSecond() : site.bytesPerSecond());
            }
        }
        return sum;
    }

    /**
     * Of each key with two values the one with most live bytes, or with most that it did not have
     * in an earlier snapshot. Of these the first ones, by how much their share is above the usual.
     */
    private static List<Value> largest(HeapSnapshot now, @Nullable HeapSnapshot before) {
        double allocated = now.totals().allocated().bytes().value();
        double whole = now.totals().live().bytes().value();
        whole -= before == null ? 0 : before.totals().live().bytes().value();
        List<Value> found = new ArrayList<>();
        List<String> keys = now.labelKeys();
        for (String key : keys.subList(0, Math.min(keys.size(), MOST_KEYS))) {
            Map<String, Double> had = before == null ? Map.of() : live(before, key);
            Value most = null;
            int values = 0;
            for (LabelTotals each : now.labels(key)) {
                if (each.isNone() || each.isOther()) {
                    continue;
                }
                Estimate live = each.live().bytes();
                double usual = each.allocated().bytes().value() / Math.max(allocated, 1);
                double more = live.value() - had.getOrDefault(each.value(), 0.0);
                double share = more / Math.max(whole, 1);
                values++;
                if (most == null || share > most.share) {
                    most = new Value(key, each.value(), live, usual, share);
                }
            }
            if (most != null && values > 1) {
                insert(most, found);
            }
        }
        return found.subList(0, Math.min(found.size(), TRIES));
    }

    /** Keeps those first that explain most; without a lambda, which needs metaspace. */
    private static void insert(Value value, List<Value> values) {
        int index = 0;
        while (index < values.size() && !values.get(index).isLess(value)) {
            index++;
        }
        values.add(index, value);
    }

    private static Map<String, Double> live(HeapSnapshot snapshot, String key) {
        Map<String, Double> live = new HashMap<>();
        for (LabelTotals each : snapshot.labels(key)) {
            if (!each.isNone() && !each.isOther()) {
                live.put(each.value(), each.live().bytes().value());
            }
        }
        return live;
    }
}
