// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.assertj.Reading.Limit;
import io.heapsampler.assertj.Reading.Measure;
import io.heapsampler.assertj.Reading.Spacing;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on an estimate. Limits have three outcomes, see {@link Undecided}.
 *
 * <pre>{@code
 * assertThat(snapshot).liveBytes().isAtMost("64 KB").hasRelativeErrorAtMost(0.1);
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class EstimateAssert extends AbstractHeapAssert<EstimateAssert, Estimate> {

    private @Nullable Reading reading;

    /** Made by {@link HeapSamplerAssertions#assertThat(Estimate)}; null fails each assertion. */
    public EstimateAssert(@Nullable Estimate actual) {
        super(actual, EstimateAssert.class, Scope.NONE);
    }

    EstimateAssert reading(@Nullable Reading known) {
        reading = known;
        return this;
    }

    /**
     * Sets the interval with which the estimate was made, so that it is known what no sample means.
     * Not needed after navigation from a snapshot.
     *
     * @param bytes 0 or more; 0 means that everything was counted
     * @return this
     * @throws IllegalArgumentException if the number is negative
     */
    @CheckReturnValue
    public EstimateAssert withInterval(long bytes) {
        Spacing known = Spacing.bytes(Texts.checked(bytes));
        reading = reading == null ? null : reading.with(known);
        return in(scope().with(known));
    }

    /**
     * Verifies that the figure is no higher.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public EstimateAssert isAtMost(String limit) {
        return verifyBytes(Limit.atMost(ByteSize.parse(limit)));
    }

    /** As {@link #isAtMost(String)}, with a number in the unit of the estimate, 0 or more. */
    public EstimateAssert isAtMost(long limit) {
        return verify(Limit.atMost(Texts.checked(limit)));
    }

    /**
     * Verifies that the figure is no lower.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public EstimateAssert isAtLeast(String limit) {
        return verifyBytes(Limit.atLeast(ByteSize.parse(limit)));
    }

    /** As {@link #isAtLeast(String)}, with a number in the unit of the estimate, 0 or more. */
    public EstimateAssert isAtLeast(long limit) {
        return verify(Limit.atLeast(Texts.checked(limit)));
    }

    /**
     * Verifies that the figure lies between two limits.
     *
     * @param least such as {@code "60 KB"}
     * @param most such as {@code "70 KB"}
     * @return this
     */
    public EstimateAssert isBetween(String least, String most) {
        return isAtLeast(least).isAtMost(most);
    }

    /**
     * As {@link #isBetween(String, String)}, with numbers in the unit of the estimate, 0 or more.
     */
    public EstimateAssert isBetween(long least, long most) {
        return isAtLeast(least).isAtMost(most);
    }

    /**
     * Verifies that a known truth lies within the 95 % interval, as it does in about 95 of 100
     * runs. Take a fixed seed or several runs, or one test in twenty fails.
     *
     * @param truth in the unit of the estimate
     * @return this
     */
    public EstimateAssert contains(double truth) {
        if (!isThere()) {
            return this;
        }
        Reading known = reading();
        if (!(truth >= known.low() && truth <= known.high())) {
            throw failed(
                    "The 95 %% interval does not contain %s: it reaches from %s to %s (%s)."
                            .formatted(
                                    whole(truth),
                                    whole(known.low()),
                                    whole(known.high()),
                                    Texts.samples(actual.samples())));
        }
        return this;
    }

    /**
     * Verifies that the estimate rests on enough samples.
     *
     * @param samples 0 or more
     * @return this
     */
    public EstimateAssert hasAtLeastSamples(long samples) {
        Texts.checked(samples);
        if (isThere() && actual.samples() < samples) {
            throw failed(
                    """
                    The estimate rests on %s, fewer than %s. What helps: a smaller interval, or \
                    more work between start and snapshot.\
                    """
                            .formatted(Texts.samples(actual.samples()), samples));
        }
        return this;
    }

    /**
     * Verifies that the 95 % error is no larger than a share of the value.
     *
     * @param share such as 0.1 for 10 %
     * @return this
     * @throws IllegalArgumentException if the share is not more than 0
     */
    public EstimateAssert hasRelativeErrorAtMost(double share) {
        if (!(share > 0)) {
            throw new IllegalArgumentException("a share must be more than 0: " + share);
        }
        if (!isThere()) {
            return this;
        }
        double error = Texts.error(actual);
        boolean isExact = error == 0 && (actual.samples() > 0 || reading().spacing().isExact());
        if (!isExact && !(error > 0 && error <= share * Math.abs(actual.value()))) {
            double times = Math.pow(error / Math.abs(actual.value()) / share, 2);
            throw failed(
                    String.format(
                            Locale.ROOT,
                            "The error is more than %.3g of the value: %s. What helps: %s.",
                            share,
                            Texts.actual(reading()),
                            helpForError(times)));
        }
        return this;
    }

    private String helpForError(double times) {
        SamplingStrategy other = reading().spacing().other();
        if (other != null) {
            return "more samples than with " + other;
        }
        return actual.samples() == 0
                ? "a smaller interval"
                : String.format(
                        Locale.ROOT, "an interval smaller by a factor of %.0f", Math.ceil(times));
    }

    private static String whole(double figure) {
        return String.format(Locale.ROOT, "%.0f", figure);
    }

    private Reading reading() {
        Reading known = reading;
        return known == null ? Reading.of(Measure.ANY, actual, scope().spacing()) : known;
    }

    private EstimateAssert verifyBytes(Limit limit) {
        if (isThere() && reading == null) {
            reading = Reading.of(Measure.BYTES, actual, scope().spacing());
        }
        if (isThere() && !reading().measure().isBytes) {
            throw new IllegalArgumentException(
                    "an amount of bytes is no limit for %s; give a number"
                            .formatted(reading().measure().text));
        }
        return verify(limit);
    }

    private EstimateAssert verify(Limit limit) {
        return isThere() ? verify(reading(), limit, "", Top.NONE) : this;
    }
}
