// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A request that waits to be sent. */
final class Payload {

    private final URI uri;
    private final String contentType;
    private final @Nullable String encoding;
    private final byte[] body;

    Payload(URI uri, String contentType, @Nullable String encoding, byte[] body) {
        this.uri = uri;
        this.contentType = contentType;
        this.encoding = encoding;
        this.body = body;
    }

    URI uri() {
        return uri;
    }

    String contentType() {
        return contentType;
    }

    /** The encoding of the body; null for none. */
    @Nullable String encoding() {
        return encoding;
    }

    /** The body itself, which no caller changes. */
    byte[] body() {
        return body;
    }
}
