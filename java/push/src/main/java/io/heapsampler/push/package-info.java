// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Pushing profiles to where a fleet's profiles are kept: {@link io.heapsampler.push.PyroscopePush}
 * for Pyroscope and whatever takes its requests, {@link io.heapsampler.push.OtlpProfilesPush} for
 * OpenTelemetry collectors. Both take {@link io.heapsampler.push.PushOptions}.
 */
@NullMarked
package io.heapsampler.push;

import org.jspecify.annotations.NullMarked;
