// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.internal.shared.SampleSource;
import java.util.Map;

/** A request that is not served, with the status and the message for the client. */
final class Refusal extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient Map<String, String> headers;

    Refusal(int status, String message) {
        this(status, message, Map.of());
    }

    /** The message goes to the client: it must repeat nothing that the client has sent. */
    Refusal(int status, String message, Map<String, String> headers) {
        super(message, null, false, false);
        this.status = status;
        this.headers = headers;
    }

    static Refusal later(int status, long seconds, String message) {
        return new Refusal(
                status, message, Map.of("Retry-After", Long.toString(Math.max(1, seconds))));
    }

    /** The recording that is served is closed. */
    static Refusal gone(SampleSource source) {
        String reason = source.closedReason();
        return new Refusal(410, reason == null ? "There are no more samples here." : reason);
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    String text() {
        String message = getMessage();
        return message == null ? "" : message;
    }
}
