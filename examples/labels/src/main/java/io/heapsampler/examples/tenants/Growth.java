// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.tenants;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.SampleFilter;
import io.heapsampler.SiteDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares two snapshots by tenant. */
final class Growth {

    private static final String KEY = "tenant";
    private static final int FRAMES = 3;

    private Growth() {}

    /** Returns a line for each tenant, and the largest growing site of each one that leaks. */
    static List<String> byTenant(HeapSnapshot earlier, HeapSnapshot later) {
        List<String> table = new ArrayList<>();
        List<String> leaks = new ArrayList<>();
        table.add(row("tenant", "allocated", "live", "more live than before"));
        for (LabelTotals tenant : later.labels(KEY)) {
            SampleFilter filter = samplesOf(tenant);
            HeapDiff diff = later.filter(filter).diff(earlier.filter(filter));
            table.add(
                    row(
                            tenant.value(),
                            bytes(tenant.allocated().bytes()),
                            bytes(tenant.live().bytes()),
                            bytes(diff.live().bytes())));
            if (!tenant.isNone()) {
                diff.growing().stream().limit(1).forEach(site -> leaks.addAll(leak(tenant, site)));
            }
        }
        table.addAll(leaks);
        return table;
    }

    private static SampleFilter samplesOf(LabelTotals tenant) {
        if (tenant.isOther()) {
            return SampleFilter.otherLabels();
        }
        return tenant.isNone()
                ? SampleFilter.noLabel(KEY)
                : SampleFilter.label(KEY, tenant.value());
    }

    private static List<String> leak(LabelTotals tenant, SiteDelta site) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "The objects of "
                        + tenant.value()
                        + " grow most by "
                        + site.className()
                        + ", "
                        + bytes(site.live().bytes())
                        + ":");
        site.stack().stream()
                .filter(frame -> !frame.isImplementation())
                .limit(FRAMES)
                .forEach(frame -> lines.add("    at " + frame));
        return lines;
    }

    private static String row(String tenant, String allocated, String live, String more) {
        return String.format(Locale.ROOT, "%-8s %-22s %-22s %s", tenant, allocated, live, more);
    }

    /** Returns an estimate and its error at 95 %. */
    private static String bytes(Estimate estimate) {
        return ByteSize.format(estimate.value())
                + " ± "
                + ByteSize.format(estimate.high() - estimate.value());
    }
}
