// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** How files are written; shared with the other modules of HeapSampler, and no API. */
@NullMarked
package io.heapsampler.internal.files;

import org.jspecify.annotations.NullMarked;
