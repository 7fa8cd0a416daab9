// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Promotion;

/**
 * What young collections moved to the old generation in the last ten minutes.
 *
 * @param share of the allocated bytes; 1 if that is not known but bytes were promoted
 * @param count the number of collections that promoted anything
 * @param from the time of the first of them, milliseconds since 1970
 * @param youngBytes what the young generation held at most before a collection
 */
record Promotions(double bytes, double share, int count, long from, double youngBytes) {

    static Promotions of(Situation s) {
        double bytes = 0;
        double young = 0;
        int count = 0;
        long from = s.to();
        for (GcEvent c : s.recent()) {
            if (Promotion.isYoung(c)) {
                young = Math.max(young, (double) (c.heapBefore() - c.oldBefore()));
            }
            if (Promotion.bytes(c) > 0) {
                bytes += Promotion.bytes(c);
                count++;
                from = Math.min(from, c.atMillis());
            }
        }
        double share = bytes == 0 ? 0 : Math.min(bytes / s.allocated(), 1);
        return new Promotions(bytes, share, count, from, young);
    }

    void tell(FindingBuilder finding) {
        finding.evidence(
                "promoted",
                bytes,
                "bytes",
                "{b} were moved to the old generation by {}, {s} of the allocated bytes.",
                bytes,
                Text.count(count, "collection", "collections"),
                share);
    }
}
