// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Labels of samples from the observations of Micrometer. Register a {@link
 * io.heapsampler.micrometer.HeapLabelsObservationHandler}.
 */
@NullMarked
package io.heapsampler.micrometer;

import org.jspecify.annotations.NullMarked;
