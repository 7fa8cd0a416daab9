// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Snapshots over HTTP: {@link io.heapsampler.http.HeapSamplerServer} for applications without a
 * server, {@link io.heapsampler.http.HeapSamplerHandler} and {@link
 * io.heapsampler.http.HeapSamplerServlet} for two kinds of servers, {@link
 * io.heapsampler.http.HeapSamplerEndpoint} for all other frameworks.
 */
@NullMarked
package io.heapsampler.http;

import org.jspecify.annotations.NullMarked;
