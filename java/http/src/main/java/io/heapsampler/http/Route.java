// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;

/**
 * The action at an address.
 *
 * @param isChange true if it accepts POST, false if it accepts GET and HEAD
 * @param isCostly true if every GET occupies or moves something that clients share
 * @param contentType of the usual response, for HEAD
 * @param action makes the response
 */
record Route(boolean isChange, boolean isCostly, String contentType, Action action) {

    /** Serves a request that was let in. */
    interface Action {
        EndpointResponse serve(EndpointRequest request, Parameters parameters)
                throws Refusal, IOException;
    }

    /** Serves a request of which only the parameters matter. */
    interface Query {
        EndpointResponse serve(Parameters parameters) throws Refusal, IOException;
    }

    static Route read(String contentType, Action action) {
        return new Route(false, false, contentType, action);
    }

    static Route read(String contentType, Query query) {
        return read(contentType, (request, parameters) -> query.serve(parameters));
    }

    /** For a read that waits, or that changes what the next one returns. */
    static Route costly(String contentType, Query query) {
        return new Route(
                false, true, contentType, (request, parameters) -> query.serve(parameters));
    }

    static Route redirect(String location) {
        return read(Answers.TEXT, parameters -> Answers.redirect(301, location));
    }

    static Route change(Action action) {
        return new Route(true, false, Answers.JSON, action);
    }

    /** Returns whether a GET with these parameters does more than read. */
    boolean hasEffect(Parameters parameters) {
        return !isChange && (isCostly || parameters.gc() || parameters.get("seconds") != null);
    }

    String allowed() {
        return isChange ? "POST" : "GET, HEAD";
    }

    boolean accepts(String method) {
        return isChange ? method.equals("POST") : method.equals("GET") || method.equals("HEAD");
    }
}
