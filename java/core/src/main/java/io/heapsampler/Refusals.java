// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Limits;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What is thrown where options do not go with what is in force: what they are, and what helps. */
final class Refusals {

    private Refusals() {}

    static IllegalStateException otherOptions(
            int interval,
            @Nullable Strategy gate,
            @Nullable Limits limits,
            @Nullable Path reportOnOom,
            SamplerOptions asked) {
        return new IllegalStateException(
                "The sampler is running with other options (interval="
                        + interval
                        + (gate == null ? "" : ", " + gate)
                        + ", "
                        + limits
                        + (reportOnOom == null ? "" : ", reportOnOom=" + reportOnOom)
                        + ") than those asked for ("
                        + asked
                        + "). Change the interval with HeapSampler.setInterval(); for other"
                        + " limits or another strategy call HeapSampler.stop() and"
                        + " HeapSampler.reset() first.");
    }

    static String strategyChange(@Nullable Strategy from, @Nullable Strategy to) {
        return "The strategy cannot change from " + inWords(from) + " to " + inWords(to);
    }

    private static String inWords(@Nullable Strategy gate) {
        return gate == null ? "bytes" : "\"" + gate + "\"";
    }

    /**
     * Refuses a change.
     *
     * @param hasOwn whether the process-wide sampler keeps samples
     * @param others how many recordings do
     */
    static IllegalStateException whileSamplesAreKept(String change, boolean hasOwn, int others) {
        String remedy =
                hasOwn
                        ? " Call HeapSampler.reset() first, which forgets the samples of the"
                                + " stopped sampler."
                        : "";
        if (others > 0) {
            remedy += " Close the open recordings first (" + others + ").";
        }
        return new IllegalStateException(change + " while samples are kept." + remedy);
    }

    static IllegalStateException interval(@Nullable Strategy gate, String what) {
        return new IllegalStateException(
                "Samples are chosen by another strategy than bytes ("
                        + gate
                        + "), so "
                        + what
                        + ". Leave the interval away, or call HeapSampler.stop() and"
                        + " HeapSampler.reset() and start with Strategy.bytes().");
    }
}
