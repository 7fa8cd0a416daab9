// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSampler;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Who may ask for what. When nothing is said, only clients on the same machine are served.
 *
 * <pre>{@code
 * EndpointOptions options =
 *         EndpointOptions.builder().token(System.getenv("HEAP_TOKEN")).host("shop.internal").build();
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads, if the given functions are.
 */
public final class EndpointOptions {

    private static final long MIB = 1 << 20;

    private final Builder values;

    private EndpointOptions(Builder builder) {
        this.values = new Builder(builder);
    }

    /**
     * Returns the options when nothing is said.
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

    @Nullable Token token() {
        return values.token;
    }

    @Nullable Predicate<EndpointRequest> authenticator() {
        return values.authenticator;
    }

    boolean isAuthenticated() {
        return values.token != null || values.authenticator != null;
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
        return "EndpointOptions[authenticated="
                + isAuthenticated()
                + ", allowsUnauthenticated="
                + values.allowsUnauthenticated
                + ", readOnly="
                + values.isReadOnly
                + "]";
    }

    /** Builds {@link EndpointOptions}. For one thread. */
    public static final class Builder {

        private @Nullable Token token;
        private @Nullable Predicate<EndpointRequest> authenticator;
        private boolean allowsUnauthenticated;
        private Set<String> hosts = Set.of();
        private String prefix = "";
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

        private Builder(Builder other) {
            token = other.token;
            authenticator = other.authenticator;
            allowsUnauthenticated = other.allowsUnauthenticated;
            hosts = other.hosts;
            prefix = other.prefix;
            isReadOnly = other.isReadOnly;
            threadNames = other.threadNames;
            maxSeconds = other.maxSeconds;
            gcSpacing = other.gcSpacing;
            allowsGc = other.allowsGc;
            minInterval = other.minInterval;
            maxResponseBytes = other.maxResponseBytes;
            maxSites = other.maxSites;
            maxClasses = other.maxClasses;
            writeTimeout = other.writeTimeout;
            second = other.second;
        }

        /**
         * Demands a token of every client, on this machine too: {@code Authorization: Bearer
         * <token>}, or as the password of basic authentication for browsers, under any user name. A
         * token in a URL is never looked at.
         *
         * @param secret 16 or more printable ASCII characters
         * @return this
         * @throws IllegalArgumentException if it is shorter or has others
         */
        public Builder token(String secret) {
            token = new Token(Objects.requireNonNull(secret, "secret"));
            return this;
        }

        /**
         * Lets the application decide about every client. With a token as well, either is enough.
         *
         * @param value true for a request that is to be served; called by many threads, before
         *     anything else of the request is looked at but its host
         * @return this
         */
        public Builder authenticator(Predicate<EndpointRequest> value) {
            authenticator = Objects.requireNonNull(value, "authenticator");
            return this;
        }

        /**
         * Serves everybody who can reach the address, from other machines too. Names of classes,
         * methods and threads are seen by all of them, and all can start and stop the sampler
         * unless {@link #readOnly()}.
         *
         * @return this
         */
        public Builder allowUnauthenticated() {
            allowsUnauthenticated = true;
            return this;
        }

        /**
         * Adds names under which browsers and scrapers know this server. Others are refused, for a
         * foreign page could reach this machine under a name of its own; {@code localhost} and
         * numeric addresses are always known.
         *
         * @param names without port, such as {@code shop.internal}
         * @return this
         */
        public Builder host(String... names) {
            Set<String> all = new HashSet<>(hosts);
            Arrays.stream(names).map(name -> name.toLowerCase(Locale.ROOT)).forEach(all::add);
            hosts = Set.copyOf(all);
            return this;
        }

        /**
         * Says where the endpoint is mounted.
         *
         * @param path what comes before {@code /debug/}, such as {@code /admin}; empty unless said
         *     otherwise
         * @return this
         * @throws IllegalArgumentException if it does not begin with a slash, or ends with one
         */
        public Builder prefix(String path) {
            if (!path.isEmpty() && (!path.startsWith("/") || path.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "a prefix begins with a slash and does not end with one, such as"
                                + " \"/admin\", but this is \""
                                + path
                                + "\"");
            }
            prefix = path;
            return this;
        }

        /**
         * Refuses whatever changes the sampler: start, stop, interval, reset.
         *
         * @return this
         */
        public Builder readOnly() {
            isReadOnly = true;
            return this;
        }

        /**
         * Says what is made of the names of threads, which may tell about users. The snapshot file
         * has the names as they are, so that it is not served any more.
         *
         * @param value a function that returns the name to show, never null; {@code name -> ""}
         *     leaves them out
         * @return this
         */
        public Builder threadNames(UnaryOperator<String> value) {
            threadNames = Objects.requireNonNull(value, "threadNames");
            return this;
        }

        /**
         * Bounds the {@code seconds} that can be asked for.
         *
         * @param seconds 1 or more; 300 unless said otherwise
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxSeconds(int seconds) {
            maxSeconds = positive(seconds, "maxSeconds");
            return this;
        }

        /**
         * Says how long after a forced collection ({@code gc=1}) the next may follow.
         *
         * @param value 0 or more; 10 seconds unless said otherwise
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder gcSpacing(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("gcSpacing must be 0 or more: " + value);
            }
            gcSpacing = value;
            return this;
        }

        /**
         * Says whether {@code gc=1} is allowed at first. A POST can change it later.
         *
         * @param value true unless said otherwise
         * @return this
         */
        public Builder allowGc(boolean value) {
            allowsGc = value;
            return this;
        }

        /**
         * Bounds the interval that a POST can set. {@link HeapSampler#setInterval} is not bound.
         *
         * @param bytes 0 or more; 8 KiB unless said otherwise
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
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
         * @param bytes 1 or more; a 16th of the greatest heap, from 4 to 64 MiB, unless said
         *     otherwise
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxResponseBytes(long bytes) {
            maxResponseBytes = positive(bytes, "maxResponseBytes");
            return this;
        }

        /**
         * Bounds the number of sites in a response. The others are summed up.
         *
         * @param sites 1 or more; 32,768 unless said otherwise
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxSites(int sites) {
            maxSites = (int) positive(sites, "maxSites");
            return this;
        }

        /**
         * Bounds the number of classes in the metrics.
         *
         * @param classes 1 or more; 20 unless said otherwise
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxClasses(int classes) {
            maxClasses = (int) positive(classes, "maxClasses");
            return this;
        }

        /**
         * Says how long a client may take to read a response.
         *
         * @param value more than 0; a minute unless said otherwise
         * @return this
         * @throws IllegalArgumentException if it is 0 or negative
         */
        public Builder writeTimeout(Duration value) {
            positive(value.toMillis(), "writeTimeout in milliseconds");
            writeTimeout = value;
            return this;
        }

        /** Says how long a second is, for tests that cannot wait. */
        Builder second(Duration value) {
            second = value;
            return this;
        }

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
        public EndpointOptions build() {
            return new EndpointOptions(this);
        }
    }
}
