// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * The history of the JVM in bounded memory, by a monotonic clock; its trends, and the meaning of
 * the causes of collections.
 */
@NullMarked
package io.heapsampler.doctor.internal.timeline;

import org.jspecify.annotations.NullMarked;
