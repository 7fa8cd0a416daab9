// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Formats figures and causes, and escapes HTML. Depends on no other package of the doctor. */
@NullMarked
package io.heapsampler.doctor.internal.text;

import org.jspecify.annotations.NullMarked;
