// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Why this JVM cannot be sampled: a reason for programs and a text for people.
 *
 * <pre>{@code
 * Unavailability unavailability = HeapSampler.tryStart();
 * if (unavailability != null) {
 *     logger.log(Level.WARNING, "no heap samples: " + unavailability.text());
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. Two are equal when reason and text are equal.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class Unavailability {

    private final HeapSamplingUnavailableException exception;

    Unavailability(HeapSamplingUnavailableException exception) {
        this.exception = exception;
    }

    /** {@return the kind of refusal} */
    public Reason reason() {
        return exception.reason();
    }

    /** {@return what failed, why, and what to do: one or more sentences in English} */
    public String text() {
        return String.valueOf(exception.getMessage());
    }

    /** {@return the exception with all causes, for a log or to be thrown} */
    public HeapSamplingUnavailableException exception() {
        return exception;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Unavailability that
                && reason() == that.reason()
                && text().equals(that.text());
    }

    @Override
    public int hashCode() {
        return 31 * reason().hashCode() + text().hashCode();
    }

    /** {@return reason and text, such as {@code NOT_HOTSPOT: Heap sampling needs HotSpot ...}} */
    @Override
    public String toString() {
        return reason() + ": " + text();
    }
}
