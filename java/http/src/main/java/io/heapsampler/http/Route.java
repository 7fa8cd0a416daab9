// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;

/**
 * What is at an address.
 *
 * @param isChange true if it answers to POST, false if to GET and HEAD
 * @param isCostly true if every GET occupies or moves something that others share
 * @param contentType of the usual answer, for HEAD
 * @param action what answers
 */
record Route(boolean isChange, boolean isCostly, String contentType, Action action) {

    /** Answers a request that was let in. */
    interface Action {
        EndpointResponse serve(EndpointRequest request, Parameters parameters)
                throws Refusal, IOException;
    }

    static Route read(String contentType, Action action) {
        return new Route(false, false, contentType, action);
    }

    /** For a read that waits, or that changes what the next one returns. */
    static Route costly(String contentType, Action action) {
        return new Route(false, true, contentType, action);
    }

    static Route change(Action action) {
        return new Route(true, false, Answers.JSON, action);
    }

    /** Returns whether a GET with these parameters does more than read. */
    boolean hasEffect(Parameters parameters) {
        return !isChange
                && (isCostly || parameters.lenient("gc") > 0 || parameters.get("seconds") != null);
    }

    String allowed() {
        return isChange ? "POST" : "GET, HEAD";
    }

    boolean accepts(String method) {
        return isChange ? method.equals("POST") : method.equals("GET") || method.equals("HEAD");
    }
}
