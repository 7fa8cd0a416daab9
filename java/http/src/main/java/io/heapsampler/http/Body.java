// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What follows the headers of a response. */
interface Body {

    /** Returns how many bytes there will be; -1 if that is not known yet. */
    long length();

    /**
     * Writes all of it.
     *
     * @throws IOException if the client has left, is too slow, or the figures cannot be obtained;
     *     then the connection must be broken off, for the client must not take what it got for all
     */
    void writeTo(OutputStream out) throws IOException;

    /** Returns the time that it waits before it writes what it has; zero for most. */
    default Duration waits() {
        return Duration.ZERO;
    }

    /** Sets what {@link #writeTo} runs when it has waited; it does not if there is no wait. */
    default void afterWait(Runnable action) {}

    /** Gives back what the body holds. Can be called twice. */
    default void close() {}

    /** A text that is short. */
    static Body of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes, few of them. */
    static Body of(byte[] bytes) {
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
