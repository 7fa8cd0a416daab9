// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when heap sampling is not available in this JVM, at all or at the moment. The message says
 * what failed, why, and what to try next; {@link #reason()} says the same to a program. The state
 * of the sampler is unchanged.
 *
 * <pre>{@code
 * try {
 *     HeapSampler.start();
 * } catch (HeapSamplingUnavailableException e) {
 *     logger.log(Level.WARNING, "no heap samples: " + e.getMessage());
 * }
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplingUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The kinds of refusal. */
    public enum Reason {
        /** This VM is not HotSpot, or offers no heap sampling through JVMTI. */
        NOT_HOTSPOT,

        /** There is no library for this operating system and processor. */
        UNSUPPORTED_PLATFORM,

        /** The library was not found or could not be loaded. */
        LIBRARY_NOT_LOADED,

        /** JEP 472: the JVM denies native access to this module. */
        NATIVE_ACCESS_DENIED,

        /** A copy of HeapSampler in another class loader has loaded the same file. */
        OTHER_CLASS_LOADER,

        /** The library and the Java classes are of different versions. */
        VERSION_MISMATCH,

        /** Another agent holds the sampling capability, which exists once in a JVM. */
        OWNED_BY_OTHER,

        /** No native memory, or no thread, was available. */
        NATIVE_MEMORY,

        /** JVMTI refused a call for another reason. */
        JVMTI_REFUSED,

        /** The JVM is shutting down. */
        SHUTTING_DOWN
    }

    /** The kind of refusal. */
    private final Reason reason;

    /**
     * Creates an exception.
     *
     * @param reason the kind of refusal
     * @param message what failed, why, and the next thing to try
     * @param cause what was thrown underneath; null if nothing was
     */
    public HeapSamplingUnavailableException(
            Reason reason, String message, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** {@return the kind of refusal} */
    public Reason reason() {
        return reason;
    }
}
