// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which sites grow, as JSON. */
final class GrowthJson {

    private static final int SITES = 100;

    private GrowthJson() {}

    static Map<String, Object> of(HeapGrowth growth) {
        Map<String, Object> all = new LinkedHashMap<>();
        List<String> times = new ArrayList<>();
        for (HeapSnapshot snapshot : growth.snapshots()) {
            times.add(snapshot.takenAt().toString());
        }
        List<SiteGrowth> growing = growth.growing();
        all.put("snapshots", times);
        all.put("seconds", growth.elapsed().toMillis() / 1e3);
        all.put("sites", growth.sites().size());
        all.put("growingSites", growing.size());
        all.put("growing", growing.stream().limit(SITES).map(GrowthJson::site).toList());
        return all;
    }

    private static Map<String, Object> site(SiteGrowth site) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("class", site.className());
        all.put("stack", site.stack().stream().map(HeapFrame::toString).toList());
        all.put("bytesPerSecond", TopJson.estimate(site.bytesPerSecond()));
        all.put("recentBytesPerSecond", TopJson.estimate(site.recentBytesPerSecond()));
        all.put("birthEpochs", site.birthEpochs());
        all.put(
                "liveBytes",
                site.live().stream().map(HeapAmount::bytes).map(Estimate::value).toList());
        return all;
    }
}
