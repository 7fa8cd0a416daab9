// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Serves snapshots of the heap over HTTP, at the addresses that Go programs use.
 *
 * <p>The module alone serves nothing: an application starts a {@link
 * io.heapsampler.http.HeapSamplerServer} or mounts a handler. The servlet API is needed for the
 * servlet only, {@code jdk.httpserver} for the server and the handler, the doctor for its own
 * address.
 */
@NullMarked
module io.heapsampler.http {
    requires transitive io.heapsampler;
    requires io.heapsampler.export;
    requires static transitive jdk.httpserver;
    requires static io.heapsampler.doctor;
    requires static jakarta.servlet;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.http;
}
