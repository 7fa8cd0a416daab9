// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Allocation and leak assertions that need no test engine: {@link
 * io.heapsampler.assertions.AllocationAssertions} is where to begin.
 *
 * <p>References are never null unless they are marked {@code @Nullable}. Sizes are in bytes.
 */
@NullMarked
package io.heapsampler.assertions;

import org.jspecify.annotations.NullMarked;
