// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Snapshots of the heap in the file formats of other tools. Start with {@link
 * io.heapsampler.export.ExportFormat}.
 */
@NullMarked
package io.heapsampler.export;

import org.jspecify.annotations.NullMarked;
