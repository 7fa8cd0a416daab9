// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.HeapRecording;
import io.heapsampler.internal.shared.SampleSource;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What is pushed under which names, how often, and what it may cost.
 *
 * <pre>{@code
 * PushOptions options =
 *         PushOptions.builder("shop").label("region", "eu").podLabels().bearerToken(token).build();
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class PushOptions {

    private final String serviceName;
    private final Map<String, String> labels;
    private final @Nullable Pod pod;
    private final Map<String, String> headers;
    private final Duration interval;
    private final Duration timeout;
    private final Duration maxBackoff;
    private final Duration closeTimeout;
    private final long maxQueueBytes;
    private final int maxSites;
    private final @Nullable SSLContext sslContext;
    private final @Nullable HttpClient httpClient;
    private final @Nullable HeapRecording recording;

    private PushOptions(Builder builder) {
        this.serviceName = builder.serviceName;
        this.labels = Collections.unmodifiableMap(new LinkedHashMap<>(builder.labels));
        this.pod = builder.pod;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        this.interval = builder.interval;
        this.timeout = builder.timeout;
        this.maxBackoff = builder.maxBackoff;
        this.closeTimeout = builder.closeTimeout;
        this.maxQueueBytes = builder.maxQueueBytes;
        this.maxSites = builder.maxSites;
        this.sslContext = builder.sslContext;
        this.httpClient = builder.httpClient;
        this.recording = builder.recording;
    }

    /**
     * Returns a builder that starts with the defaults.
     *
     * @param serviceName the name under which the application is known: {@code service_name} in
     *     Pyroscope, {@code service.name} in OpenTelemetry
     * @return a new builder
     * @throws IllegalArgumentException if it is empty or longer than 256 characters
     */
    public static Builder builder(String serviceName) {
        return new Builder(serviceName);
    }

    /**
     * Returns the name of the service.
     *
     * @return not empty
     */
    public String serviceName() {
        return serviceName;
    }

    /** Returns the recording, or the process-wide sampler without one. */
    SampleSource source() {
        return recording == null ? SampleSource.ofProcess() : SampleSource.of(recording);
    }

    /**
     * Returns the labels, without the service and the pod.
     *
     * @return values by name, in the order in which they were added; unmodifiable
     */
    public Map<String, String> labels() {
        return labels;
    }

    /**
     * Returns how often is pushed.
     *
     * @return 15 seconds unless said otherwise
     */
    public Duration interval() {
        return interval;
    }

    /**
     * Returns how long one request may take.
     *
     * @return 10 seconds unless said otherwise
     */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Returns the longest time between two attempts, unless the receiver asks for more.
     *
     * @return a minute unless said otherwise
     */
    public Duration maxBackoff() {
        return maxBackoff;
    }

    /**
     * Returns how long closing may take.
     *
     * @return 5 seconds unless said otherwise
     */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /**
     * Returns how many bytes may wait to be sent.
     *
     * @return 8 MiB unless said otherwise
     */
    public long maxQueueBytes() {
        return maxQueueBytes;
    }

    /**
     * Returns how many sites are pushed at a time.
     *
     * @return 10,000 unless said otherwise
     */
    public int maxSites() {
        return maxSites;
    }

    @Nullable Pod pod() {
        return pod;
    }

    Map<String, String> headers() {
        return headers;
    }

    @Nullable SSLContext sslContext() {
        return sslContext;
    }

    @Nullable HttpClient httpClient() {
        return httpClient;
    }

    /** Headers are secrets and not shown. */
    @Override
    public String toString() {
        return "PushOptions[service="
                + serviceName
                + ", labels="
                + labels
                + ", interval="
                + interval
                + ", timeout="
                + timeout
                + ", maxQueueBytes="
                + maxQueueBytes
                + ", maxSites="
                + maxSites
                + "]";
    }

    /** Builds {@link PushOptions}. For one thread. */
    public static final class Builder {

        private final String serviceName;
        private final Map<String, String> labels = new LinkedHashMap<>();
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable Pod pod;
        private Duration interval = Duration.ofSeconds(15);
        private Duration timeout = Duration.ofSeconds(10);
        private Duration maxBackoff = Duration.ofMinutes(1);
        private Duration closeTimeout = Duration.ofSeconds(5);
        private long maxQueueBytes = 8L << 20;
        private int maxSites = 10_000;
        private @Nullable SSLContext sslContext;
        private @Nullable HttpClient httpClient;
        private @Nullable HeapRecording recording;

        private Builder(String serviceName) {
            this.serviceName = Checks.serviceName(serviceName);
        }

        /**
         * Adds a label to all that is pushed, or replaces its value. Each combination of labels is
         * a series of its own with most receivers: no user, request or time belongs here.
         *
         * @param name letters, digits, underscores and dots, not beginning with a digit, a dot or
         *     two underscores; the service name has a place of its own
         * @param value from 1 to 2,048 characters
         * @return this
         * @throws IllegalArgumentException if name or value cannot be a label
         */
        public Builder label(String name, String value) {
            Checks.label(name, value);
            labels.put(name, value);
            return this;
        }

        /**
         * Adds the names of the Kubernetes pod and its namespace, as {@code POD_NAME} (else {@code
         * HOSTNAME}) and {@code POD_NAMESPACE} in the environment tell them. Without this call, the
         * environment is not looked at.
         *
         * @return this
         * @throws IllegalStateException if the environment does not tell the name of a pod
         */
        public Builder podLabels() {
            return podLabels(System.getenv());
        }

        Builder podLabels(Map<String, String> environment) {
            pod = Pod.of(environment);
            return this;
        }

        /**
         * Adds a header to each request, or replaces its value: {@code X-Scope-OrgID} for the
         * tenant of Pyroscope, say.
         *
         * @param name letters, digits and hyphens
         * @param value printable characters of ASCII; never logged
         * @return this
         * @throws IllegalArgumentException if name or value cannot be in a header, or the header is
         *     one that is set for each request
         */
        public Builder header(String name, String value) {
            Checks.header(name, value);
            headers.put(name, value);
            return this;
        }

        /**
         * Sends a token with each request, as {@code Authorization: Bearer}.
         *
         * @param token printable characters of ASCII
         * @return this
         * @throws IllegalArgumentException if it is empty or cannot be in a header
         */
        public Builder bearerToken(String token) {
            if (token.isBlank()) {
                throw new IllegalArgumentException("the token is empty");
            }
            return header("Authorization", "Bearer " + token.strip());
        }

        /**
         * Sends a name and a password with each request, as {@code Authorization: Basic}.
         *
         * @param user the name, without colon
         * @param password the password
         * @return this
         * @throws IllegalArgumentException if the name has a colon
         */
        public Builder basicAuth(String user, String password) {
            if (user.indexOf(':') >= 0) {
                throw new IllegalArgumentException("a user name cannot have a colon: " + user);
            }
            byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            return header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
        }

        /**
         * Says how often is pushed.
         *
         * @param value a second or more
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder interval(Duration value) {
            interval = Checks.atLeast(Duration.ofSeconds(1), value, "interval");
            return this;
        }

        /**
         * Says how long one request may take before it is given up, to be sent again.
         *
         * @param value 100 milliseconds or more
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder timeout(Duration value) {
            timeout = Checks.atLeast(Duration.ofMillis(100), value, "timeout");
            return this;
        }

        /**
         * Says how far apart attempts get while the receiver fails. They begin a second apart, and
         * each time it is twice as long, less a random part. A receiver that says {@code
         * Retry-After} gets what it asks for, up to an hour.
         *
         * @param value a second or more
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxBackoff(Duration value) {
            maxBackoff = Checks.atLeast(Duration.ofSeconds(1), value, "maxBackoff");
            return this;
        }

        /**
         * Says how long closing may take to send what is left.
         *
         * @param value 0 or more; 0 sends nothing any more
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder closeTimeout(Duration value) {
            closeTimeout = Checks.atLeast(Duration.ZERO, value, "closeTimeout");
            return this;
        }

        /**
         * Bounds what waits while the receiver fails. The oldest is dropped for the newest.
         *
         * @param bytes 64 KiB or more
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxQueueBytes(long bytes) {
            if (bytes < 64 * 1024) {
                throw new IllegalArgumentException("maxQueueBytes must be 65536 or more: " + bytes);
            }
            maxQueueBytes = bytes;
            return this;
        }

        /**
         * Bounds the number of sites in a push. The others are summed up as one.
         *
         * @param sites 1 or more
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxSites(int sites) {
            if (sites < 1) {
                throw new IllegalArgumentException("maxSites must be 1 or more: " + sites);
            }
            maxSites = sites;
            return this;
        }

        /**
         * Says whose certificates are trusted, and which one is shown to a receiver that asks: for
         * receivers whose certificate is their own, or signed by an authority of the company.
         * Without this call it is what the JVM trusts by default.
         *
         * @param value an initialized context; for addresses that begin with {@code https:}
         * @return this
         */
        public Builder sslContext(SSLContext value) {
            sslContext = Objects.requireNonNull(value, "sslContext");
            return this;
        }

        /**
         * Sends with a client of the application's own: with its proxy, say.
         *
         * @param value the client, which has an {@link #sslContext(SSLContext)} of its own; it is
         *     not closed
         * @return this
         */
        public Builder httpClient(HttpClient value) {
            httpClient = Objects.requireNonNull(value, "httpClient");
            return this;
        }

        /**
         * Pushes a recording instead of the process-wide sampler. When the recording is closed,
         * pushing ends; {@link PushStatus#lastError()} says so. Pushing does not close it.
         *
         * @param value an open recording
         * @return this
         */
        public Builder recording(HeapRecording value) {
            recording = Objects.requireNonNull(value, "recording");
            return this;
        }

        /** For tests that cannot wait a second. */
        Builder unboundedInterval(Duration value) {
            interval = value;
            return this;
        }

        /**
         * Makes the options.
         *
         * @return the options
         * @throws IllegalStateException if both an {@link #httpClient(HttpClient)} and an {@link
         *     #sslContext(SSLContext)} are given
         */
        public PushOptions build() {
            Checks.oneTrust(httpClient, sslContext);
            return new PushOptions(this);
        }
    }
}
