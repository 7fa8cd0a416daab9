// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** How much of the memory limits of this process is in use. */
@NullMarked
package io.heapsampler.internal.limit;

import org.jspecify.annotations.NullMarked;
