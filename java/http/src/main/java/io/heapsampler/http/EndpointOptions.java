// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.SampleFilter;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.internal.shared.SampleSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides which clients are served, and bounds the responses. An endpoint on a server of the
 * application needs one of {@link Builder#token}, {@link Builder#authenticator}, {@link
 * Builder#apiAuthenticator} and {@link Builder#allowUnauthenticated}. {@link HeapSamplerServer}
 * without any of them serves only clients on the same machine.
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
public final class EndpointOptions {

    private static final long MIB = 1 << 20;

    // Security: Gatekeeper decides by these.
    final Gatekeeper.@Nullable Token token;
    final @Nullable Predicate<EndpointRequest> authenticator;
    final @Nullable Predicate<EndpointRequest> apiAuthenticator;
    final boolean allowsUnauthenticated;
    final Set<String> hosts;
    final boolean isReadOnly;
    final @Nullable UnaryOperator<String> threadNames;
    final BiFunction<String, String, @Nullable String> labels;
    final boolean hasTraces;

    // The source of the samples, and its address.
    final @Nullable HeapRecording recording;
    final String prefix;

    // Limits of the cost.
    final boolean allowsGc;
    final boolean neverGc;
    final Duration gcSpacing;
    final int maxSeconds;
    final long minInterval;
    final long maxResponseBytes;
    final int maxSites;
    final int maxClasses;
    final @Nullable String metricsLabel;
    final Duration writeTimeout;
    final Duration second;

    private EndpointOptions(Builder builder) {
        this.token = builder.token;
        this.authenticator = builder.authenticator;
        this.apiAuthenticator = builder.apiAuthenticator;
        this.allowsUnauthenticated = builder.allowsUnauthenticated;
        this.hosts = Set.copyOf(builder.hosts);
        this.isReadOnly = builder.isReadOnly;
        this.threadNames = builder.threadNames;
        this.labels = builder.labels;
        this.hasTraces = builder.hasTraces;
        this.recording = builder.recording;
        this.prefix = builder.prefix;
        this.allowsGc = builder.allowsGc && !builder.neverGc;
        this.neverGc = builder.neverGc;
        this.gcSpacing = builder.gcSpacing;
        this.maxSeconds = builder.maxSeconds;
        this.minInterval = builder.minInterval;
        this.maxResponseBytes = builder.maxResponseBytes;
        this.maxSites = builder.maxSites;
        this.maxClasses = builder.maxClasses;
        this.metricsLabel = builder.metricsLabel;
        this.writeTimeout = builder.writeTimeout;
        this.second = builder.second;
    }

    /**
     * {@return the defaults, which only {@link HeapSamplerServer} accepts: clients on the same
     * machine only}
     */
    @CheckReturnValue
    public static EndpointOptions defaults() {
        return builder().build();
    }

    /** {@return a new builder that starts with the defaults} */
    @CheckReturnValue
    public static Builder builder() {
        return new Builder();
    }

    boolean isAuthenticated() {
        return token != null || authenticator != null || apiAuthenticator != null;
    }

    /** Returns whether the application has decided which clients are served. */
    boolean isDecided() {
        return isAuthenticated() || allowsUnauthenticated;
    }

    /** Returns the recording, or the process-wide sampler without one. */
    SampleSource source() {
        return recording == null ? SampleSource.ofProcess() : SampleSource.of(recording);
    }

    /** Returns whether labels are shown as they are. */
    boolean hasLabelsAsTheyAre() {
        return labels == LabelChoice.AS_IS;
    }

    /** Returns which labels are shown, for one response. */
    LabelChoice labelChoice() {
        return new LabelChoice(true, null, labels, UnaryOperator.identity());
    }

    Duration writeTimeout() {
        return writeTimeout;
    }

    /** Returns the options without secrets. */
    @Override
    public String toString() {
        return "EndpointOptions[authenticated=%b, allowsUnauthenticated=%b, readOnly=%b]"
                .formatted(isAuthenticated(), allowsUnauthenticated, isReadOnly);
    }

    /**
     * Builds {@link EndpointOptions}. Each method throws {@link IllegalArgumentException} for a
     * value outside its stated range. For one thread.
     */
    public static final class Builder {

        // Security: nothing is open by default.
        private Gatekeeper.@Nullable Token token;
        private @Nullable Predicate<EndpointRequest> authenticator;
        private @Nullable Predicate<EndpointRequest> apiAuthenticator;
        private boolean allowsUnauthenticated;
        private final Set<String> hosts = new HashSet<>();
        private boolean isReadOnly;
        private @Nullable UnaryOperator<String> threadNames;
        private BiFunction<String, String, @Nullable String> labels = LabelChoice.AS_IS;
        private boolean hasTraces = true;

        private @Nullable HeapRecording recording;
        private String prefix = "";

        private boolean allowsGc = true;
        private boolean neverGc;
        private Duration gcSpacing = Duration.ofSeconds(10);
        private int maxSeconds = 300;
        private long minInterval = 8 * 1024;
        private long maxResponseBytes =
                Math.max(4 * MIB, Math.min(64 * MIB, Runtime.getRuntime().maxMemory() / 16));
        private int maxSites = 32_768;
        private int maxClasses = 20;
        private @Nullable String metricsLabel;
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
         */
        public Builder token(String secret) {
            token = new Gatekeeper.Token(Objects.requireNonNull(secret, "secret"));
            return this;
        }

        /**
         * Lets the application decide about every client, by credentials that a browser may send on
         * its own: a cookie, basic authentication, a client certificate. Such a client can change
         * the sampler only from the endpoint's own page. With a token as well, either is enough.
         *
         * @param value true to serve a request, an exception is logged and counts as false; called
         *     by many threads, before the body is read
         * @return this
         */
        public Builder authenticator(Predicate<EndpointRequest> value) {
            authenticator = Objects.requireNonNull(value, "authenticator");
            return this;
        }

        /**
         * Lets the application recognise API clients, by credentials that no browser sends on its
         * own: a key or a token in a header. As with {@link #token}, they need no {@code Origin}
         * for a POST.
         *
         * @param value true for such a request, as with {@link #authenticator}
         * @return this
         */
        public Builder apiAuthenticator(Predicate<EndpointRequest> value) {
            apiAuthenticator = Objects.requireNonNull(value, "apiAuthenticator");
            return this;
        }

        /**
         * Serves every client that can reach the address. All of them see labels and the names of
         * classes, methods and threads, and can start and stop the sampler unless {@link
         * #readOnly()}. The protection of browsers stays: unknown {@link #host hosts} are refused,
         * and so are changes that a page of another server sends.
         *
         * @return this
         */
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
         */
        public Builder host(String... names) {
            hosts.addAll(Arrays.stream(names).map(Gatekeeper::hostName).toList());
            return this;
        }

        /**
         * Refuses all changes of the sampler: start, stop, interval, reset. A search for holders
         * changes nothing; {@link #allowGc allowGc(false)} refuses it.
         *
         * @return this
         */
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
        public Builder threadNames(UnaryOperator<String> value) {
            threadNames = Objects.requireNonNull(value, "threadNames");
            return this;
        }

        /**
         * Sets how labels ({@link io.heapsampler.HeapLabels}) are shown, because they may reveal
         * users. The snapshot file has them as they are, so it is no longer served. The findings of
         * a doctor then name no label.
         *
         * @param value a function of key and value that returns the value to show; null or an empty
         *     text leaves the label out; called by many threads
         * @return this
         */
        public Builder labels(BiFunction<String, String, @Nullable String> value) {
            labels = Objects.requireNonNull(value, "labels");
            return this;
        }

        /**
         * Sets whether the JSON and the report contain ids of traces, which lead to requests of
         * users; see {@link io.heapsampler.HeapSite#examples()}. Without them the snapshot file,
         * which always has them, is no longer served. A client leaves them out of one response by
         * {@code traces=0}.
         *
         * @param value false to show no ids of traces and spans; true by default
         * @return this
         */
        public Builder traces(boolean value) {
            hasTraces = value;
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
        public Builder recording(HeapRecording value) {
            recording = Objects.requireNonNull(value, "recording");
            return this;
        }

        /**
         * Sets where the endpoint is mounted.
         *
         * @param path the part before {@code /debug/}, such as {@code /admin}: it begins with a
         *     slash and does not end with one; empty by default
         * @return this
         */
        public Builder prefix(String path) {
            if (!path.isEmpty() && (!path.startsWith("/") || path.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "A prefix begins with a slash and does not end with one: " + path);
            }
            prefix = path;
            return this;
        }

        /**
         * Sets whether {@code gc=1} and the search for holders, which forces a collection, are
         * allowed at first. A POST can change it later.
         *
         * @param value true by default
         * @return this
         */
        public Builder allowGc(boolean value) {
            allowsGc = value;
            return this;
        }

        /**
         * Refuses {@code gc=1} and the search for holders permanently. A POST cannot change it.
         *
         * @return this
         */
        public Builder neverGc() {
            neverGc = true;
            return this;
        }

        /**
         * Sets how long after a forced collection ({@code gc=1}) the next may follow.
         *
         * @param value 0 or more; 10 seconds by default
         * @return this
         */
        public Builder gcSpacing(Duration value) {
            require(!value.isNegative(), "gcSpacing must be 0 or more: ", value);
            gcSpacing = value;
            return this;
        }

        /**
         * Bounds the {@code seconds} that can be requested.
         *
         * @param seconds 1 or more; 300 by default
         * @return this
         */
        public Builder maxSeconds(int seconds) {
            require(seconds >= 1, "maxSeconds must be 1 or more: ", seconds);
            maxSeconds = seconds;
            return this;
        }

        /**
         * Bounds the interval that a POST can set. {@link HeapSampler#setInterval} is not bound.
         *
         * @param bytes 0 or more; 8 KiB by default
         * @return this
         */
        public Builder minInterval(long bytes) {
            require(bytes >= 0, "minInterval must be 0 or more: ", bytes);
            minInterval = bytes;
            return this;
        }

        /**
         * Bounds a response. Twice as much is held at a time for all clients together.
         *
         * @param bytes 1 or more; a 16th of the maximum heap, from 4 to 64 MiB, by default
         * @return this
         */
        public Builder maxResponseBytes(long bytes) {
            require(bytes >= 1, "maxResponseBytes must be 1 or more: ", bytes);
            maxResponseBytes = bytes;
            return this;
        }

        /**
         * Bounds the number of sites in a response. The others are summed up.
         *
         * @param sites 1 or more; 32,768 by default
         * @return this
         */
        public Builder maxSites(int sites) {
            require(sites >= 1, "maxSites must be 1 or more: ", sites);
            maxSites = sites;
            return this;
        }

        /**
         * Bounds the number of classes in the metrics.
         *
         * @param classes 1 or more; 20 by default
         * @return this
         */
        public Builder maxClasses(int classes) {
            require(classes >= 1, "maxClasses must be 1 or more: ", classes);
            maxClasses = classes;
            return this;
        }

        /**
         * Adds live bytes by the values of a label to the metrics: the 20 values with most, all
         * further ones as {@code (other)}, and samples without the label as {@code (none)}. Each
         * value is a time series, so choose a label with few values.
         *
         * @param key such as {@code endpoint}; none by default
         * @return this
         */
        public Builder metricsLabel(String key) {
            Objects.requireNonNull(SampleFilter.noLabel(key)); // checks it
            metricsLabel = key;
            return this;
        }

        /**
         * Sets how long a client may take to read a response.
         *
         * @param value a millisecond or more; a minute by default
         * @return this
         */
        public Builder writeTimeout(Duration value) {
            long millis = value.toMillis();
            require(millis >= 1, "writeTimeout in milliseconds must be 1 or more: ", millis);
            writeTimeout = value;
            return this;
        }

        /** Sets how long a second is, for tests that cannot wait. */
        Builder second(Duration value) {
            second = value;
            return this;
        }

        private static void require(boolean isInRange, String message, Object value) {
            if (!isInRange) {
                throw new IllegalArgumentException(message + value);
            }
        }

        /** {@return the options} */
        @CheckReturnValue
        public EndpointOptions build() {
            return new EndpointOptions(this);
        }
    }
}
