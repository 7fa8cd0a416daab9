// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The part of a response after its headers. */
interface Body {

    /** Returns the number of bytes; -1 if it is not known yet. */
    long length();

    /**
     * Writes all of it.
     *
     * @throws IOException if the client has left or is too slow, or the figures cannot be obtained;
     *     the caller must close the connection then, so that the client notices the truncation
     */
    void writeTo(OutputStream out) throws IOException;

    /** Returns the time that it waits before it writes its result; zero for most. */
    default Duration waits() {
        return Duration.ZERO;
    }

    /** Sets what {@link #writeTo} runs between the wait and the result; ignored without a wait. */
    default void afterWait(Runnable action) {}

    /** Gives its memory back. Can be called twice. */
    default void close() {}

    /** Returns a short text. */
    static Body of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new Body() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                out.write(bytes);
            }
        };
    }
}
