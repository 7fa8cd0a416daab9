// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import java.io.InputStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request to {@link HeapSamplerEndpoint}, from any server.
 *
 * <pre>{@code
 * EndpointRequest request =
 *         EndpointRequest.builder("GET", "/debug/pprof/heap")
 *                 .query("gc=1")
 *                 .header("Host", "localhost:8080")
 *                 .remoteAddress(client)
 *                 .build();
 * }</pre>
 *
 * <p>Immutable, except for the body, which can be read once.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class EndpointRequest {

    private final String method;
    private final String path;
    private final @Nullable String query;
    private final Map<String, List<String>> headers;
    private final @Nullable String authority;
    private final @Nullable InetAddress remoteAddress;
    private final InputStream body;
    private final String pageHeader;
    private final String pageHeaderValue;

    private EndpointRequest(Builder builder) {
        this.method = builder.method;
        this.path = builder.path;
        this.query = builder.query;
        this.headers = new HashMap<>(builder.headers);
        headers.replaceAll((name, values) -> List.copyOf(values));
        this.authority = builder.authority;
        this.remoteAddress = builder.remoteAddress;
        this.body = builder.body;
        this.pageHeader = builder.pageHeader;
        this.pageHeaderValue = builder.pageHeaderValue;
    }

    /**
     * {@return a new builder}
     *
     * @param method such as {@code GET}
     * @param path the path as it was sent, without the query, such as {@code /debug/pprof/heap}
     */
    @CheckReturnValue
    public static Builder builder(String method, String path) {
        return new Builder(method, path);
    }

    /** {@return the method, such as {@code GET}} */
    public String method() {
        return method;
    }

    /** {@return the path as it was sent, without the query} */
    public String path() {
        return path;
    }

    /** {@return the part after the question mark, undecoded; null if there is none} */
    public @Nullable String query() {
        return query;
    }

    /**
     * {@return the values of a header; empty if there are none}
     *
     * @param name in any case
     */
    public List<String> headers(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    /**
     * {@return the first value of a header; null if there is none}
     *
     * @param name in any case
     */
    public @Nullable String header(String name) {
        List<String> values = headers(name);
        return values.isEmpty() ? null : values.get(0);
    }

    /**
     * {@return the host and port that the client requested, such as {@code shop.internal:8443};
     * null if only the {@code Host} header has them}
     */
    public @Nullable String authority() {
        return authority;
    }

    /**
     * Returns the address of the client. A server that believes {@code X-Forwarded-For} may have
     * taken it from there, so that clients can forge it.
     *
     * @return the address that the server gave; null if it is not known
     */
    public @Nullable InetAddress remoteAddress() {
        return remoteAddress;
    }

    InputStream body() {
        return body;
    }

    /** Returns the name of the header that the page sends; empty for none. */
    String pageHeader() {
        return pageHeader;
    }

    String pageHeaderValue() {
        return pageHeaderValue;
    }

    /** Returns method and path. A query or a header may contain a secret. */
    @Override
    public String toString() {
        return method + " " + path;
    }

    /** Builds an {@link EndpointRequest}. For one thread. */
    public static final class Builder {

        private final String method;
        private final String path;
        private @Nullable String query;
        private final Map<String, List<String>> headers = new HashMap<>();
        private @Nullable String authority;
        private @Nullable InetAddress remoteAddress;
        private InputStream body = InputStream.nullInputStream();
        private String pageHeader = "";
        private String pageHeaderValue = "";

        private Builder(String method, String path) {
            this.method = Objects.requireNonNull(method, "method");
            this.path = Objects.requireNonNull(path, "path");
        }

        /**
         * Sets the query.
         *
         * @param value the part after the question mark, undecoded; null for none
         * @return this
         */
        public Builder query(@Nullable String value) {
            query = value;
            return this;
        }

        /**
         * Adds a header.
         *
         * @param name in any case
         * @param value its value; a header that was sent twice is added twice
         * @return this
         */
        public Builder header(String name, String value) {
            headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), key -> new ArrayList<>())
                    .add(Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets the host and port that the client requested, where the protocol has them outside the
         * headers: {@code :authority} in HTTP/2 and HTTP/3, and the authority of a request target
         * in absolute form. Pass the value of the client, not one of {@code X-Forwarded-Host}: the
         * check against DNS rebinding needs the name that a browser has sent. If there is a {@code
         * Host} header as well, both names must be known.
         *
         * @param value such as {@code shop.internal:8443}, without a usual port; null for none
         * @return this
         */
        public Builder authority(@Nullable String value) {
            authority = value;
            return this;
        }

        /**
         * Sets the address of the client, which an {@linkplain
         * EndpointOptions.Builder#authenticator authenticator} can read.
         *
         * @param value the address of the connection itself, not one from a header; null if unknown
         * @return this
         */
        public Builder remoteAddress(@Nullable InetAddress value) {
            remoteAddress = value;
            return this;
        }

        /**
         * Sets the body, which is read for a POST only, and no farther than some kilobytes.
         *
         * @param value the body; it is not closed
         * @return this
         */
        public Builder body(InputStream value) {
            body = Objects.requireNonNull(value, "body");
            return this;
        }

        /**
         * Sets a header that the page of the endpoint sends with each change: the token of a CSRF
         * check that the framework does before the endpoint. It is written into the page that this
         * request returns, and nowhere else.
         *
         * @param name such as {@code X-CSRF-TOKEN}
         * @param value the token of the client that sends this request
         * @return this
         */
        public Builder pageHeader(String name, String value) {
            pageHeader = Objects.requireNonNull(name, "name");
            pageHeaderValue = Objects.requireNonNull(value, "value");
            return this;
        }

        /** {@return the request} */
        @CheckReturnValue
        public EndpointRequest build() {
            return new EndpointRequest(this);
        }
    }
}
