// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.internal.shared.SampleSource;
import java.util.Map;

/**
 * A request that is not served, with the status and the message for the client. The message must
 * repeat nothing that the client has sent.
 */
final class Refusal extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String text;
    private final transient Map<String, String> headers;

    Refusal(int status, String text) {
        this(status, text, Map.of());
    }

    Refusal(int status, String text, Map<String, String> headers) {
        super(text, null, false, false);
        this.status = status;
        this.text = text;
        this.headers = headers;
    }

    static Refusal later(int status, long seconds, String text) {
        String delay = Long.toString(Math.max(1, seconds));
        return new Refusal(status, text, Map.of("Retry-After", delay));
    }

    /** The recording that is served is closed. */
    static Refusal gone(SampleSource source) {
        String reason = source.closedReason();
        return new Refusal(410, reason == null ? "There are no more samples here." : reason);
    }

    int status() {
        return status;
    }

    String text() {
        return text;
    }

    Map<String, String> headers() {
        return headers;
    }
}
