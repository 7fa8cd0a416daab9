// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

import io.heapsampler.ApiStatus;

/**
 * Code whose allocations are measured. It may throw anything.
 *
 * <pre>{@code
 * ThrowingRunnable parsing = () -> parser.parse(input);
 * }</pre>
 *
 * @since 0.1
 */
@FunctionalInterface
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public interface ThrowingRunnable {

    /**
     * Runs the code once.
     *
     * @throws Throwable any exception, which ends the assertion unchanged
     */
    void run() throws Throwable;
}
