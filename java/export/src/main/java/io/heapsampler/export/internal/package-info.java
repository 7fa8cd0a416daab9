// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Exports that only other modules of HeapSampler use; exported to them alone, and no API. */
@NullMarked
package io.heapsampler.export.internal;

import org.jspecify.annotations.NullMarked;
