// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.internal.shared.SampleSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which clients may request what. An endpoint on a server of the application needs one of {@link
 * Builder#token}, {@link Builder#authenticator}, {@link Builder#apiAuthenticator} and {@link
 * Builder#allowUnauthenticated}. {@link HeapSamplerServer} without any of them serves only clients
 * on the same machine.
 *
 * <pre>{@code
 * EndpointOptions options =
 *         EndpointOptions.builder().token(System.getenv("HEAP_TOKEN")).host("shop.internal").build();
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads, if the given functions are.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class EndpointOptions {

    private static final long MIB = 1 << 20;

    private final Builder values;

    private EndpointOptions(Builder builder) {
        this.values = builder;
    }

    /**
     * Returns the defaults, which only {@link HeapSamplerServer} accepts.
     *
     * @return the defaults: clients on the same machine only
     */
    public static EndpointOptions defaults() {
        return builder().build();
    }

    /**
     * Returns a builder that starts with the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    Gatekeeper.@Nullable Token token() {
        return values.token;
    }

    @Nullable Predicate<EndpointRequest> authenticator() {
        return values.authenticator;
    }

    @Nullable Predicate<EndpointRequest> apiAuthenticator() {
        return values.apiAuthenticator;
    }

    boolean isAuthenticated() {
        return values.token != null
                || values.authenticator != null
                || values.apiAuthenticator != null;
    }

    boolean allowsUnauthenticated() {
        return values.allowsUnauthenticated;
    }

    Set<String> hosts() {
        return values.hosts;
    }

    String prefix() {
        return values.prefix;
    }

    @Nullable HeapRecording recording() {
        return values.recording;
    }

    /** Returns the recording, or the process-wide sampler without one. */
    SampleSource source() {
        HeapRecording recording = values.recording;
        return recording == null ? SampleSource.ofProcess() : SampleSource.of(recording);
    }

    boolean isReadOnly() {
        return values.isReadOnly;
    }

    @Nullable UnaryOperator<String> threadNames() {
        return values.threadNames;
    }

    long maxSeconds() {
        return values.maxSeconds;
    }

    Duration gcSpacing() {
        return values.gcSpacing;
    }

    boolean allowsGc() {
        return values.allowsGc;
    }

    long minInterval() {
        return values.minInterval;
    }

    long maxResponseBytes() {
        return values.maxResponseBytes;
    }

    int maxSites() {
        return values.maxSites;
    }

    int maxClasses() {
        return values.maxClasses;
    }

    Duration writeTimeout() {
        return values.writeTimeout;
    }

    Duration second() {
        return values.second;
    }

    /** Returns the options without what is secret. */
    @Override
    public String toString() {
        return "EndpointOptions[authenticated=%b, allowsUnauthenticated=%b, readOnly=%b]"
                .formatted(isAuthenticated(), values.allowsUnauthenticated, values.isReadOnly);
    }

    /** Builds {@link EndpointOptions}. For one thread. */
    public static final class Builder implements Cloneable {

        private Gatekeeper.@Nullable Token token;
        private @Nullable Predicate<EndpointRequest> authenticator;
        private @Nullable Predicate<EndpointRequest> apiAuthenticator;
        private boolean allowsUnauthenticated;
        private Set<String> hosts = Set.of();
        private String prefix = "";
        private @Nullable HeapRecording recording;
        private boolean isReadOnly;
        private @Nullable UnaryOperator<String> threadNames;
        private long maxSeconds = 300;
        private Duration gcSpacing = Duration.ofSeconds(10);
        private boolean allowsGc = true;
        private long minInterval = 8 * 1024;
        private long maxResponseBytes =
                Math.max(4 * MIB, Math.min(64 * MIB, Runtime.getRuntime().maxMemory() / 16));
        private int maxSites = 32_768;
        private int maxClasses = 20;
        private Duration writeTimeout = Duration.ofSeconds(60);
        private Duration second = Duration.ofSeconds(1);

        private Builder() {}

        /**
         * Demands a token of every client, on this machine too: {@code Authorization: Bearer
         * <token>}, or as the password of basic authentication for browsers, under any user name. A
         * token in a URL is ignored.
         *
         * @param secret 16 or more printable ASCII characters
         * @return this
         * @throws IllegalArgumentException if it is shorter or has others
         */
        @CanIgnoreReturnValue
        public Builder token(String secret) {
            token = new Gatekeeper.Token(Objects.requireNonNull(secret, "secret"));
            return this;
        }

        /**
         * Lets the application decide about every client, by what a browser may send by itself: a
         * cookie, basic authentication, a client certificate. Such a client can change the sampler
         * only from the endpoint's own page. With a token as well, either is enough.
         *
         * @param value true to serve a request, an exception is logged and counts as false; called
         *     by many threads, before the body is read
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder authenticator(Predicate<EndpointRequest> value) {
            authenticator = Objects.requireNonNull(value, "authenticator");
            return this;
        }

        /**
         * Lets the application recognise API clients, by what no browser sends by itself: a key or
         * a token in a header. As with {@link #token}, they need no {@code Origin} for a POST.
         *
         * @param value true for such a request, as with {@link #authenticator}
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder apiAuthenticator(Predicate<EndpointRequest> value) {
            apiAuthenticator = Objects.requireNonNull(value, "apiAuthenticator");
            return this;
        }

        /**
         * Serves every client that can reach the address. All of them see the names of classes,
         * methods and threads, and can start and stop the sampler unless {@link #readOnly()}. What
         * protects browsers stays: unknown {@link #host hosts} are refused, and so are changes that
         * a page of another server sends.
         *
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder allowUnauthenticated() {
            allowsUnauthenticated = true;
            return this;
        }

        /**
         * Adds names under which browsers and scrapers know this server. Others are refused: with
         * DNS rebinding, a page of an attacker could read from this server under its own name.
         * {@code localhost} and numeric addresses are known without this. They are not known in a
         * request with {@code X-Forwarded-Host} or {@code Forwarded} that may be served without a
         * token: a page can send these, and some servers put them in place of {@code Host}.
         *
         * @param names without scheme and port, such as {@code shop.internal}
         * @return this
         * @throws IllegalArgumentException if one is no such name
         */
        @CanIgnoreReturnValue
        public Builder host(String... names) {
            Set<String> all = new HashSet<>(hosts);
            Arrays.stream(names).map(Gatekeeper::hostName).forEach(all::add);
            hosts = Set.copyOf(all);
            return this;
        }

        /**
         * Says where the endpoint is mounted.
         *
         * @param path what comes before {@code /debug/}, such as {@code /admin}; empty by default
         * @return this
         * @throws IllegalArgumentException if it does not begin with a slash, or ends with one
         */
        @CanIgnoreReturnValue
        public Builder prefix(String path) {
            if (!path.isEmpty() && (!path.startsWith("/") || path.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "A prefix begins with a slash and does not end with one: " + path);
            }
            prefix = path;
            return this;
        }

        /**
         * Serves a recording instead of the process-wide sampler. All profiles are its own; {@code
         * stop} and {@code interval} change only the recording, {@code start} and {@code reset} are
         * refused with 409. Once the recording is closed, the response to each request is 410. The
         * endpoint does not close it.
         *
         * @param value an open recording
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder recording(HeapRecording value) {
            recording = Objects.requireNonNull(value, "recording");
            return this;
        }

        /**
         * Refuses whatever changes the sampler: start, stop, interval, reset.
         *
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder readOnly() {
            isReadOnly = true;
            return this;
        }

        /**
         * Sets how the names of threads are shown, because they may reveal users. The snapshot file
         * has the names as they are, so it is no longer served.
         *
         * @param value a function that returns the name to show, never null; {@code name -> ""}
         *     leaves them out
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder threadNames(UnaryOperator<String> value) {
            threadNames = Objects.requireNonNull(value, "threadNames");
            return this;
        }

        /**
         * Bounds the {@code seconds} that can be requested.
         *
         * @param seconds 1 or more; 300 by default
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        @CanIgnoreReturnValue
        public Builder maxSeconds(int seconds) {
            maxSeconds = positive(seconds, "maxSeconds");
            return this;
        }

        /**
         * Sets how long after a forced collection ({@code gc=1}) the next may follow.
         *
         * @param value 0 or more; 10 seconds by default
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        @CanIgnoreReturnValue
        public Builder gcSpacing(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("gcSpacing must be 0 or more: " + value);
            }
            gcSpacing = value;
            return this;
        }

        /**
         * Sets whether {@code gc=1} is allowed at first. A POST can change it later.
         *
         * @param value true by default
         * @return this
         */
        @CanIgnoreReturnValue
        public Builder allowGc(boolean value) {
            allowsGc = value;
            return this;
        }

        /**
         * Bounds the interval that a POST can set. {@link HeapSampler#setInterval} is not bound.
         *
         * @param bytes 0 or more; 8 KiB by default
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        @CanIgnoreReturnValue
        public Builder minInterval(long bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("minInterval must be 0 or more: " + bytes);
            }
            minInterval = bytes;
            return this;
        }

        /**
         * Bounds a response. Twice as much is held at a time for all clients together.
         *
         * @param bytes 1 or more; a 16th of the maximum heap, from 4 to 64 MiB, by default
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        @CanIgnoreReturnValue
        public Builder maxResponseBytes(long bytes) {
            maxResponseBytes = positive(bytes, "maxResponseBytes");
            return this;
        }

        /**
         * Bounds the number of sites in a response. The others are summed up.
         *
         * @param sites 1 or more; 32,768 by default
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        @CanIgnoreReturnValue
        public Builder maxSites(int sites) {
            maxSites = (int) positive(sites, "maxSites");
            return this;
        }

        /**
         * Bounds the number of classes in the metrics.
         *
         * @param classes 1 or more; 20 by default
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        @CanIgnoreReturnValue
        public Builder maxClasses(int classes) {
            maxClasses = (int) positive(classes, "maxClasses");
            return this;
        }

        /**
         * Sets how long a client may take to read a response.
         *
         * @param value more than 0; a minute by default
         * @return this
         * @throws IllegalArgumentException if it is 0 or negative
         */
        @CanIgnoreReturnValue
        public Builder writeTimeout(Duration value) {
            positive(value.toMillis(), "writeTimeout in milliseconds");
            writeTimeout = value;
            return this;
        }

        /** Sets how long a second is, for tests that cannot wait. */
        Builder second(Duration value) {
            second = value;
            return this;
        }

        @CanIgnoreReturnValue
        private static long positive(long value, String name) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " must be 1 or more: " + value);
            }
            return value;
        }

        /**
         * Makes the options.
         *
         * @return the options
         */
        @CheckReturnValue
        public EndpointOptions build() {
            try {
                return new EndpointOptions((Builder) clone());
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
