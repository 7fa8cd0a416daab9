// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Loader, native methods and decoder. Not exported; nothing here is kept compatible. */
@NullMarked
package io.heapsampler.internal;

import org.jspecify.annotations.NullMarked;
