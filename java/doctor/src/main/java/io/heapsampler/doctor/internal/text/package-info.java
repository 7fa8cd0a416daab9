// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Formats figures. Depends on no other package of the doctor. */
@NullMarked
package io.heapsampler.doctor.internal.text;

import org.jspecify.annotations.NullMarked;
