// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Labels of samples from the contexts of OpenTelemetry: tenants and other values of baggage, or
 * what a function makes of a context. One call of {@link
 * io.heapsampler.opentelemetry.HeapLabelsContextStorage#install(String...)} is all that an
 * application needs.
 */
@NullMarked
package io.heapsampler.opentelemetry;

import org.jspecify.annotations.NullMarked;
