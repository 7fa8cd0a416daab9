// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Pushes profiles to the stores of a fleet: to Grafana Pyroscope and compatible receivers, and over
 * OTLP to OpenTelemetry collectors. Start with {@link io.heapsampler.push.ProfilePush}.
 */
@NullMarked
package io.heapsampler.push;

import org.jspecify.annotations.NullMarked;
