// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Snapshots of the heap in the formats that other tools read. {@link io.heapsampler.export.Exports}
 * is where to begin.
 */
@NullMarked
package io.heapsampler.export;

import org.jspecify.annotations.NullMarked;
