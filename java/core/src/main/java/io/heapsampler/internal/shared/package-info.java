// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Tools that several modules of HeapSampler use; exported to them alone, and no API. */
@NullMarked
package io.heapsampler.internal.shared;

import org.jspecify.annotations.NullMarked;
