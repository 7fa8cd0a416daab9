// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The evidence of a difference, by site. It is worked out when it is first needed: a pusher, which
 * asks for allocations alone, never needs it. Safe for use by many threads.
 */
final class Changes {

    private final HeapSnapshot earlier;
    private final HeapSnapshot later;
    private final int[] numbersEarlier;
    private final int[] numbersLater;
    private final int sites;
    private Evidence @Nullable [][] evidence;

    /**
     * Prepares it.
     *
     * @param sites one more than the largest number of a site
     */
    Changes(
            HeapSnapshot earlier,
            int[] numbersEarlier,
            HeapSnapshot later,
            int[] numbersLater,
            int sites) {
        this.earlier = earlier;
        this.later = later;
        this.numbersEarlier = numbersEarlier;
        this.numbersLater = numbersLater;
        this.sites = sites;
    }

    Evidence of(int site) {
        return evidence()[site][0];
    }

    Evidence ofAll() {
        Evidence all = new Evidence();
        for (Evidence[] each : evidence()) {
            all.addAll(each[0]);
        }
        return all;
    }

    private synchronized Evidence[][] evidence() {
        Evidence[][] known = evidence;
        if (known == null) {
            List<LiveSamples> samples =
                    List.of(
                            new LiveSamples(earlier, numbersEarlier),
                            new LiveSamples(later, numbersLater));
            known = Tracks.evidence(samples, sites, Slope.difference());
            evidence = known;
        }
        return known;
    }
}
