// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** How figures and causes read, and what may stand in HTML. Knows nobody. */
@NullMarked
package io.heapsampler.doctor.internal.text;

import org.jspecify.annotations.NullMarked;
