// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Limits;
import io.heapsampler.internal.shared.SearchRunningException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses options that contradict those in force. Each message names both and the remedy. */
final class Refusals {

    private static final String INTERVAL_REMEDY =
            "Change the interval with HeapSampler.setInterval().";
    private static final String OVERHEAD_REMEDY =
            " For another maxOverhead call HeapSampler.stop() first.";
    private static final String LIMITS_REMEDY =
            " For other limits, another strategy or another report file call HeapSampler.stop() and"
                    + " HeapSampler.reset() first.";

    private Refusals() {}

    static IllegalStateException otherOptions(
            SamplerHold hold,
            LastUsed used,
            List<String> holders,
            String reports,
            SamplerOptions asked) {
        boolean isAlone = hold.keepsSamples() && holders.equals(List.of(SamplerHold.APPLICATION));
        return new IllegalStateException(
                "The sampler is running with other options (interval="
                        + used.neededInterval()
                        + (used.gate() == null ? "" : ", " + used.gate())
                        + ", "
                        + used.limits()
                        + (used.overhead() == 0
                                ? ""
                                : ", maxOverhead=" + Limits.share(used.overhead()))
                        + reports
                        + ") than those requested ("
                        + asked
                        + "). "
                        + (isAlone ? remedy(asked) : remedyBesideOthers(hold, holders)));
    }

    private static String remedy(SamplerOptions asked) {
        String overhead = asked.overhead() == 0 ? "" : OVERHEAD_REMEDY;
        return INTERVAL_REMEDY + overhead + LIMITS_REMEDY;
    }

    /** A library must not end what others sample. */
    private static String remedyBesideOthers(SamplerHold hold, List<String> holders) {
        String remedy =
                hold.keepsSamples()
                        ? "start() without the options that differ, or start before the others do."
                        : "share() without the options that differ.";
        return "It is held by " + String.join(", ", holders) + ". Call HeapSampler." + remedy;
    }

    static IllegalStateException tooManyHolders(List<String> holders) {
        return new IllegalStateException(
                "The sampler already has "
                        + holders.size()
                        + " holders, the maximum: "
                        + String.join(", ", holders)
                        + ". Close holds that are no longer needed.");
    }

    static String strategyChange(@Nullable SamplingStrategy from, @Nullable SamplingStrategy to) {
        return "The strategy cannot change from " + inWords(from) + " to " + inWords(to);
    }

    private static String inWords(@Nullable SamplingStrategy gate) {
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

    static IllegalStateException interval(@Nullable SamplingStrategy gate, String what) {
        return new IllegalStateException(
                "Samples are chosen by another strategy than bytes ("
                        + gate
                        + "), so "
                        + what
                        + ". Leave the interval away, or call HeapSampler.stop() and"
                        + " HeapSampler.reset() and start with SamplingStrategy.bytes().");
    }

    /** Refuses an interval that was set and is not the only one that a strategy allows. */
    static void requireInterval(int interval, int only, SamplingStrategy strategy) {
        if (interval == Limits.UNSET || interval == only) {
            return;
        }
        String why =
                strategy.isByBytes()
                        ? "each of the two sets the interval. Set one of them."
                        : "to count allocations, the JVM must report each of them. Leave interval()"
                                + " away, or use SamplingStrategy.bytes() instead.";
        throw new IllegalArgumentException(
                "interval=" + interval + " cannot go with " + strategy + ": " + why);
    }

    static IllegalStateException otherProcess() {
        return new IllegalStateException(
                "This snapshot was read from a file, or taken in another process or before"
                        + " HeapSampler.start(), so it has no objects of this heap. Search for"
                        + " holders in a later snapshot of HeapSampler.snapshot() or"
                        + " HeapRecording.snapshot(). What was found before a snapshot was written"
                        + " is returned by heldBy().");
    }

    static IllegalStateException untracked() {
        return new IllegalStateException(
                "The sampler tracks no objects (maxTracked=0), so it does not know which are alive,"
                        + " nor where they are. Call HeapSampler.stop() and HeapSampler.reset(),"
                        + " and start with SamplerOptions.builder().maxTracked(...) above 0.");
    }

    static IllegalStateException nothingSampled() {
        return new IllegalStateException(
                "Nothing was sampled, so there are no objects whose holders can be searched. Call"
                        + " HeapSampler.start() first, and let the application work.");
    }

    static IllegalStateException searching(HeldByOptions options) {
        return new SearchRunningException(
                "Another search for holders is running in this process, and one runs at a time. "
                        + (options.waitsForTurn()
                                ? "This one waited for " + options.maxTime() + ". Raise maxTime()."
                                : "Search later, or with waitsForTurn(true)."));
    }
}
