// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The options of a running push, complete and checked. Made by {@link PushBuilder}. */
record PushOptions(
        String serviceName,
        Map<String, String> labels,
        @Nullable Pod pod,
        Map<String, String> headers,
        Duration interval,
        Duration timeout,
        Duration maxBackoff,
        Duration closeTimeout,
        long maxQueueBytes,
        int maxSites,
        @Nullable SSLContext sslContext,
        @Nullable HttpClient httpClient) {

    /** Headers are secrets and not shown. */
    @Override
    public String toString() {
        return "PushOptions[service=" + serviceName + ", labels=" + labels + "]";
    }
}
