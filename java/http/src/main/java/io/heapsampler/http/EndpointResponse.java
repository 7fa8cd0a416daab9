// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A response of {@link HeapSamplerEndpoint}: send status and headers, then the body, then close it.
 *
 * <p>For one thread. All responses share a limited memory ({@link
 * EndpointOptions.Builder#maxResponseBytes}), and {@link #close()} gives it back. A response of
 * which nothing has been written for 2 seconds, closed or not, loses its memory when another
 * response needs it; {@link #writeTo} fails then. A response for {@code seconds} keeps its place
 * until its time is over; if it is neither written nor closed, until 2 minutes after it.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class EndpointResponse implements AutoCloseable {

    private final int status;
    private final Map<String, String> headers;
    private final Body body;

    EndpointResponse(int status, Map<String, String> headers, Body body) {
        this.status = status;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        this.body = body;
    }

    /** {@return the status, such as 200} */
    public int status() {
        return status;
    }

    /** {@return names and values of the headers, without {@code Content-Length}; unmodifiable} */
    public Map<String, String> headers() {
        return headers;
    }

    /** {@return the bytes of the body; empty if that is not known before the body is written} */
    public OptionalLong contentLength() {
        long length = body.length();
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    Body body() {
        return body;
    }

    /**
     * Writes the body. That may take as long as the requested {@code seconds}; meanwhile a byte or
     * two is written every second, which shows whether the client is still there.
     *
     * @param out where to; it is flushed and stays open
     * @throws IOException if the client has left or is too slow, or the figures cannot be obtained;
     *     close the connection then, so that the client notices that the response is truncated
     */
    public void writeTo(OutputStream out) throws IOException {
        body.writeTo(out);
        out.flush();
    }

    /** Gives the memory of the response back. Can be called twice. */
    @Override
    public void close() {
        body.close();
    }

    @Override
    public String toString() {
        return "EndpointResponse[status=" + status + "]";
    }
}
