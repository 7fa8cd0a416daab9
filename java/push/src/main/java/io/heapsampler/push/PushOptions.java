// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The options of a running push, complete and checked. Made by {@link PushBuilder}. */
record PushOptions(
        String serviceName,
        Map<String, String> labels,
        SampleLabels sampleLabels,
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

    /**
     * The Kubernetes pod that the application runs in.
     *
     * @param namespace null if it is not known
     */
    record Pod(String name, @Nullable String namespace) {

        static Pod of(Function<String, @Nullable String> environment) {
            String own = environment.apply("POD_NAME");
            String name = own == null ? environment.apply("HOSTNAME") : own;
            if (name == null || name.isBlank()) {
                throw new IllegalStateException(
                        "podLabels() finds no name of a pod: neither POD_NAME nor HOSTNAME is set."
                                + " Set POD_NAME and POD_NAMESPACE from metadata.name and"
                                + " metadata.namespace (fieldRef) in the manifest of the pod, or"
                                + " leave podLabels() out.");
            }
            String namespace = environment.apply("POD_NAMESPACE");
            return new Pod(name, namespace == null || namespace.isBlank() ? null : namespace);
        }
    }

    /** Returns the names of the pod, under the given keys, and the labels, which replace them. */
    Map<String, String> labelsAndPod(String podKey, String namespaceKey) {
        Map<String, String> all = new LinkedHashMap<>();
        if (pod != null) {
            all.put(podKey, pod.name());
            if (pod.namespace() != null) {
                all.put(namespaceKey, pod.namespace());
            }
        }
        all.putAll(labels);
        return all;
    }

    /** Headers are secrets and not shown. */
    @Override
    public String toString() {
        return "PushOptions[service=" + serviceName + ", labels=" + labels + "]";
    }
}
