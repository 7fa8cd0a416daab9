// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.shared.ReportFile;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which a new hold samples. They follow from the state and the options alone: nothing
 * here calls the engine. Immutable.
 *
 * <p>Options that are not set follow the terms in force while samples are kept. Options that
 * contradict those terms are refused with an {@link IllegalStateException}.
 *
 * @param limits of the tables
 * @param gate the strategy that thins the byte samples; null for none
 * @param interval in bytes, in force if the sampler is not running yet
 * @param wish the interval that the hold requests; {@link Limits#NO_WISH} for none
 * @param overhead the budget that the hold requests; 0 for none
 */
record HoldPlan(
        Limits limits, @Nullable SamplingStrategy gate, int interval, int wish, int overhead) {

    /** Plans a hold with these options, or with the terms last in use if they are null. */
    static HoldPlan of(ProcessState now, @Nullable SamplerOptions options) {
        SamplingStrategy gate = gate(now, options);
        Limits limits = limits(now, options);
        requireTerms(now, limits, gate);
        requireRoom(now);
        int overhead = overhead(now, options);
        if (LastUsed.countsAllocations(gate)) {
            return new HoldPlan(limits, gate, 0, 0, overhead);
        }
        if (options != null && options.hasInterval()) {
            int own = (int) options.interval();
            return new HoldPlan(limits, gate, own, Limits.wish(own), overhead);
        }
        int usual = now.last().interval();
        int wish = now.isRunning() ? Limits.NO_WISH : Limits.wish(usual);
        return new HoldPlan(limits, gate, usual, wish, overhead);
    }

    /** Returns whether the interval gets smaller, so that the calling thread must be primed. */
    boolean isFinerThan(ProcessState before) {
        return !before.isRunning() || wish < before.engine().interval();
    }

    private static @Nullable SamplingStrategy gate(
            ProcessState now, @Nullable SamplerOptions options) {
        boolean isAsked = options != null && (options.gate() != null || options.hasInterval());
        if (options == null || (now.keepsSamples() && !isAsked)) {
            return now.terms().gate();
        }
        return options.gate();
    }

    private static Limits limits(ProcessState now, @Nullable SamplerOptions options) {
        if (options == null) {
            return now.terms().limits();
        }
        return now.keepsSamples() ? options.limitsOr(now.terms().limits()) : options.limits();
    }

    private static int overhead(ProcessState now, @Nullable SamplerOptions options) {
        if (options != null && options.overhead() != 0) {
            return options.overhead();
        }
        return now.isRunning() ? 0 : now.last().overhead();
    }

    private static void requireTerms(
            ProcessState now, Limits limits, @Nullable SamplingStrategy gate) {
        LastUsed last = now.terms();
        boolean isSameGate = Objects.equals(gate, last.gate());
        if (!now.keepsSamples() || (limits.equals(last.limits()) && isSameGate)) {
            return;
        }
        String change =
                isSameGate
                        ? "The limits cannot change from " + last.limits() + " to " + limits
                        : Refusals.strategyChange(last.gate(), gate);
        throw Refusals.whileSamplesAreKept(change, now.handle() != 0, now.otherRecordings());
    }

    private static void requireRoom(ProcessState now) {
        if (now.engine().holders().size() >= InForce.MAX_HOLDERS) {
            throw Refusals.tooManyHolders(now.engine().holders());
        }
    }

    /**
     * Refuses options that differ from those of the running sampler. A smaller interval in force
     * gives more samples than requested, so it fits. A larger one fits a new hold, whose request
     * makes it smaller.
     *
     * @param report the file of the report on out-of-memory in force; null for none
     * @param near the report near a limit in force; null for none
     */
    static void requireFitting(
            ProcessState now,
            SamplerHold hold,
            @Nullable SamplerOptions options,
            @Nullable ReportFile report,
            @Nullable NearLimit near) {
        if (options == null) {
            return;
        }
        boolean isSame =
                Objects.equals(gate(now, options), now.terms().gate())
                        && limits(now, options).equals(now.terms().limits());
        boolean isFine = !hold.isOpen() || isFineEnough(now.engine(), options);
        ReportFile file = options.reportFile();
        boolean isFree = file == null || report == null || file.equals(report);
        boolean isWatched =
                options.nearLimit() == null || near == null || near.equals(options.nearLimit());
        if (!isSame || !isFine || !isFree || !isWatched) {
            throw Refusals.otherOptions(
                    hold, now.terms(), now.engine().holders(), inWords(report, near), options);
        }
    }

    private static String inWords(@Nullable ReportFile report, @Nullable NearLimit near) {
        return (report == null ? "" : ", reportOnOom=" + report)
                + (near == null ? "" : ", " + near);
    }

    private static boolean isFineEnough(InForce engine, SamplerOptions options) {
        return (!options.hasInterval() || engine.interval() <= options.interval())
                && (options.overhead() == 0 || engine.maxOverhead() <= options.overhead());
    }
}
