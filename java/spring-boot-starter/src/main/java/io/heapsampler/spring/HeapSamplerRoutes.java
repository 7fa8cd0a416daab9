// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.http.HeapSamplerEndpoint;

/**
 * The endpoint, and where the actuator has it.
 *
 * @param base path of the actuator's endpoint, such as {@code /actuator/heapsampler}
 * @param isReadOnly whether the access of the endpoint excludes write operations
 */
record HeapSamplerRoutes(HeapSamplerEndpoint endpoint, String base, boolean isReadOnly) {

    private static final String ROOT = "/debug/";
    private static final String PAGE = ROOT + "heapsampler/";

    /** Returns the pattern of all addresses. */
    String pattern() {
        return base + ROOT + "**";
    }

    /** Returns the path that the endpoint knows, which begins with {@code /debug/}. */
    String local(String path) {
        return path.substring(path.indexOf(base + ROOT) + base.length());
    }

    /** Returns whether a request is for the page, and the page can change the sampler. */
    boolean needsToken(String method, String path) {
        return !isReadOnly && method.equals("GET") && local(path).equals(PAGE);
    }

    /** Returns whether the method may be used. A POST is a write operation. */
    boolean accepts(String method) {
        return !isReadOnly || method.equals("GET") || method.equals("HEAD");
    }
}
