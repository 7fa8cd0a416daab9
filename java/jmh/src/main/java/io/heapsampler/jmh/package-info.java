// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * A profiler for JMH, {@link io.heapsampler.jmh.HeapSamplerProfiler}: allocated and surviving bytes
 * and objects per operation, and their sites.
 */
@NullMarked
package io.heapsampler.jmh;

import org.jspecify.annotations.NullMarked;
