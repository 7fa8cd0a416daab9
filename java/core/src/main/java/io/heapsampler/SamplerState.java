// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * The states of the process-wide sampler.
 *
 * <pre>{@code
 * if (HeapSampler.status().state() != SamplerState.RUNNING) {
 *     HeapSampler.start();
 * }
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum SamplerState {
    /** Never started; {@link HeapSampler#start()} leads to {@link #RUNNING}. */
    NEW,

    /** Samples are taken until the last {@linkplain SamplerHold hold} is given back. */
    RUNNING,

    /**
     * Sampling is off and the samples are kept, unless reset; {@link HeapSampler#start()} leads
     * back to {@link #RUNNING}.
     */
    STOPPED
}
