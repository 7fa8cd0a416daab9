// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;

/**
 * What is at an address.
 *
 * @param isChange true if it answers to POST, false if to GET and HEAD
 * @param contentType of the usual answer, for HEAD
 * @param action what answers
 */
record Route(boolean isChange, String contentType, Action action) {

    /** Answers a request that was let in. */
    interface Action {
        EndpointResponse serve(EndpointRequest request, Parameters parameters)
                throws Refusal, IOException;
    }

    static Route read(String contentType, Action action) {
        return new Route(false, contentType, action);
    }

    static Route change(Action action) {
        return new Route(true, Answers.JSON, action);
    }

    String allowed() {
        return isChange ? "POST" : "GET, HEAD";
    }

    boolean accepts(String method) {
        return isChange ? method.equals("POST") : method.equals("GET") || method.equals("HEAD");
    }
}
