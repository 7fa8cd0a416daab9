// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
                    "podLabels() finds no name of a pod: neither POD_NAME nor HOSTNAME is set. Set"
                        + " POD_NAME and POD_NAMESPACE from metadata.name and metadata.namespace"
                        + " (fieldRef) in the manifest of the pod, or leave podLabels() out.");
        }
        String namespace = environment.apply("POD_NAMESPACE");
        return new Pod(name, namespace == null || namespace.isBlank() ? null : namespace);
    }

    /** Adds what is known under the given names. */
    void addTo(Map<String, String> labels, String nameKey, String namespaceKey) {
        labels.put(nameKey, name);
        if (namespace != null) {
            labels.put(namespaceKey, namespace);
        }
    }
}
