// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.tenants;

import io.heapsampler.HeapLabels;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Answers queries with reports, and caches each report without a limit. That is harmless as long as
 * a tenant repeats its queries.
 */
final class ReportService {

    private static final int EXPECTED = 50_000;
    private static final int REPORT_BYTES = 2_000;
    private static final int ROWS = 100;

    private final Map<String, HeapLabels> labels = new ConcurrentHashMap<>();
    private final Map<String, byte[]> cache = new ConcurrentHashMap<>(EXPECTED);
    private final LongAdder sent = new LongAdder();

    /** Sends a report until some time. What the request allocates is counted at its tenant. */
    void answer(String tenant, int until) {
        labels.computeIfAbsent(tenant, name -> HeapLabels.of("tenant", name))
                .run(
                        () -> {
                            String query = "report until " + until;
                            send(page(query, cachedReport(query)));
                        });
    }

    private byte[] cachedReport(String query) {
        return cache.computeIfAbsent(query, unused -> report());
    }

    private void send(String page) {
        sent.add(page.length());
    }

    int cached() {
        return cache.size();
    }

    long charactersSent() {
        return sent.sum();
    }

    private static byte[] report() {
        return new byte[REPORT_BYTES];
    }

    private static String page(String query, byte[] report) {
        StringBuilder page = new StringBuilder(query);
        for (int row = 0; row < ROWS; row++) {
            page.append("<td>").append(report[row]);
        }
        return page.toString();
    }
}
