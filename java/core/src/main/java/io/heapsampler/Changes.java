// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The evidence of a difference, by site. It is worked out when it is first needed: a pusher reads
 * allocations only and never needs it. Safe for use by many threads.
 */
final class Changes {

    /** Null once the evidence is known: a single {@link SiteDelta} holds no snapshot for it. */
    private @Nullable Input input;

    private Evidence @Nullable [][] evidence;

    /** The number of each site in the snapshots, and one more than the largest number. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Input(
            HeapSnapshot earlier,
            int[] numbersEarlier,
            HeapSnapshot later,
            int[] numbersLater,
            int sites) {

        Evidence[][] evidence() {
            List<LiveSamples> samples =
                    List.of(
                            new LiveSamples(earlier, numbersEarlier),
                            new LiveSamples(later, numbersLater));
            return Tracks.evidence(samples, sites, Slope.difference());
        }
    }

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
        input = new Input(earlier, numbersEarlier, later, numbersLater, sites);
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
        Input unread = input;
        if (unread != null) {
            evidence = unread.evidence();
            input = null;
        }
        return Objects.requireNonNull(evidence);
    }

    /** Returns whether the snapshots are still needed. */
    synchronized boolean holdsSnapshots() {
        return input != null;
    }
}
