// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapRecording;
import io.heapsampler.SampleFilter;
import io.heapsampler.internal.shared.SampleSource;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options that all kinds of {@link ProfilePush} share. They can be set in any order.
 *
 * <p>Not thread-safe. A builder can start several pushes.
 *
 * @param <B> the type of the builder
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public abstract sealed class PushBuilder<B extends PushBuilder<B>>
        permits PyroscopePushBuilder, OtlpPushBuilder {

    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    /** The options that the application set; null where it set none. */
    @Nullable String serviceName;

    @Nullable Duration timeout;
    @Nullable SSLContext sslContext;
    @Nullable HttpClient httpClient;

    Function<String, @Nullable String> environment = System::getenv;
    SampleSource source = SampleSource.ofProcess();

    private final Map<String, String> labels = new LinkedHashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private boolean hasPodLabels;
    private boolean hasSampleLabels = true;
    private @Nullable String sampleLabel;
    private @Nullable BiFunction<String, String, @Nullable String> sampleLabels;
    private Duration interval = Duration.ofSeconds(15);
    private Duration maxBackoff = Duration.ofMinutes(1);
    private Duration closeTimeout = Duration.ofSeconds(5);
    private long maxQueueBytes = 8L << 20;
    private int maxSites = 10_000;

    PushBuilder() {}

    abstract B self();

    /**
     * Starts to push. The sampler need not be started yet.
     *
     * @return the push, which the application must close
     * @throws IllegalArgumentException if an option or a variable of the environment is invalid for
     *     this kind of receiver
     * @throws IllegalStateException if a required option is missing, or two options contradict each
     *     other
     */
    @CheckReturnValue
    public abstract ProfilePush start();

    /**
     * Sets the name of the service: {@code service_name} in Pyroscope, {@code service.name} in
     * OpenTelemetry.
     *
     * @param name from 1 to 256 characters
     * @return this
     * @throws IllegalArgumentException if the name is empty or longer
     */
    public B serviceName(String name) {
        serviceName = Checks.serviceName(name);
        return self();
    }

    /**
     * Adds a label to all profiles, or replaces its value. Labels of single samples, which code
     * sets with {@link io.heapsampler.HeapLabels}, are pushed as well, see {@link #sampleLabels}.
     * Most receivers make a series of each combination of labels, so do not use users, requests or
     * times as values.
     *
     * @param name letters, digits, underscores and dots; it does not begin with a digit, a dot or
     *     two underscores, and is not the name of the service
     * @param value from 1 to 2,048 characters
     * @return this
     * @throws IllegalArgumentException if the name or the value is invalid
     */
    public B label(String name, String value) {
        Checks.label(name, value);
        labels.put(name, value);
        return self();
    }

    /**
     * Sets whether labels of samples are pushed, which code sets with {@link
     * io.heapsampler.HeapLabels}.
     *
     * @param value false to push none; true by default
     * @return this
     */
    public B sampleLabels(boolean value) {
        hasSampleLabels = value;
        return self();
    }

    /**
     * Pushes labels of samples of one key only, such as the endpoint.
     *
     * @param key the key; all keys by default
     * @return this
     * @throws IllegalArgumentException if no label can have such a key; see {@link
     *     io.heapsampler.HeapLabels#of}
     */
    public B sampleLabel(String key) {
        Objects.requireNonNull(SampleFilter.noLabel(key)); // checks it
        sampleLabel = key;
        return self();
    }

    /**
     * Sets the function that replaces or leaves out labels of samples, which may identify users.
     *
     * @param value a function of key and value that returns the value to push; null or an empty
     *     text leaves the label out; labels are unchanged by default; called by the thread that
     *     pushes
     * @return this
     */
    public B sampleLabels(BiFunction<String, String, @Nullable String> value) {
        sampleLabels = Objects.requireNonNull(value, "sampleLabels");
        return self();
    }

    /**
     * Adds the names of the Kubernetes pod and its namespace. {@link #start()} reads them from the
     * variables {@code POD_NAME} (or else {@code HOSTNAME}) and {@code POD_NAMESPACE}, and throws
     * {@link IllegalStateException} if there is no name of a pod.
     *
     * @return this
     */
    public B podLabels() {
        hasPodLabels = true;
        return self();
    }

    /**
     * Adds a header to each request, or replaces its value, for example {@code X-Scope-OrgID} for
     * the tenant of Pyroscope.
     *
     * @param name letters, digits and hyphens
     * @param value printable ASCII characters; never logged
     * @return this
     * @throws IllegalArgumentException if the name or the value is invalid, or the header is set
     *     for each request
     */
    public B header(String name, String value) {
        Checks.header(name, value);
        headers.keySet().removeIf(name::equalsIgnoreCase);
        headers.put(name, value);
        return self();
    }

    /**
     * Sends a token with each request, as {@code Authorization: Bearer}.
     *
     * @param token printable ASCII characters
     * @return this
     * @throws IllegalArgumentException if the token is empty or invalid in a header
     */
    public B bearerToken(String token) {
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
    public B basicAuth(String user, String password) {
        if (user.indexOf(':') >= 0) {
            // The name is not shown: perhaps the password is behind the colon.
            throw new IllegalArgumentException("a user name cannot have a colon");
        }
        byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    }

    /**
     * Sets the time between two pushes.
     *
     * @param value a second or more; 15 seconds by default
     * @return this
     * @throws IllegalArgumentException if it is less
     */
    public B interval(Duration value) {
        interval = Checks.atLeast(Duration.ofSeconds(1), value, "interval");
        return self();
    }

    /**
     * Sets the timeout of one request. A request that exceeds it is sent again.
     *
     * @param value 100 milliseconds or more; 10 seconds by default
     * @return this
     * @throws IllegalArgumentException if it is less
     */
    public B timeout(Duration value) {
        timeout = Checks.atLeast(Duration.ofMillis(100), value, "timeout");
        return self();
    }

    /**
     * Sets the maximum time between two attempts while the receiver fails. The first retry is after
     * a second; the time doubles with each further one, less a random part. {@code Retry-After} of
     * the receiver is respected, up to an hour.
     *
     * @param value a second or more; a minute by default
     * @return this
     * @throws IllegalArgumentException if it is less
     */
    public B maxBackoff(Duration value) {
        maxBackoff = Checks.atLeast(Duration.ofSeconds(1), value, "maxBackoff");
        return self();
    }

    /**
     * Sets the maximum time in which {@link ProfilePush#close()} sends the waiting profiles.
     *
     * @param value 0 or more; 0 sends nothing; 5 seconds by default
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public B closeTimeout(Duration value) {
        closeTimeout = Checks.atLeast(Duration.ZERO, value, "closeTimeout");
        return self();
    }

    /**
     * Bounds the waiting profiles while the receiver fails. A newer profile replaces the oldest.
     *
     * @param bytes 64 KiB or more; 8 MiB by default
     * @return this
     * @throws IllegalArgumentException if it is less
     */
    public B maxQueueBytes(long bytes) {
        if (bytes < 64 * 1024) {
            throw new IllegalArgumentException("maxQueueBytes must be 65536 or more: " + bytes);
        }
        maxQueueBytes = bytes;
        return self();
    }

    /**
     * Bounds the number of sites in a push. All further sites are summed up as one.
     *
     * @param sites 1 or more; 10,000 by default
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public B maxSites(int sites) {
        if (sites < 1) {
            throw new IllegalArgumentException("maxSites must be 1 or more: " + sites);
        }
        maxSites = sites;
        return self();
    }

    /**
     * Sets the trusted certificates and the certificate of this client, for receivers whose
     * certificate is self-signed or signed by a private authority. The JVM's default applies
     * otherwise.
     *
     * @param value an initialized context; it applies to {@code https:} addresses
     * @return this
     */
    public B sslContext(SSLContext value) {
        sslContext = Objects.requireNonNull(value, "sslContext");
        return self();
    }

    /**
     * Sends with an HTTP client of the application, for example one with a proxy.
     *
     * @param value the client; it has its own SSL context instead of {@link
     *     #sslContext(SSLContext)}, and is not closed
     * @return this
     */
    public B httpClient(HttpClient value) {
        httpClient = Objects.requireNonNull(value, "httpClient");
        return self();
    }

    /**
     * Pushes the samples of a recording instead of those of the process-wide sampler. When the
     * recording is closed, pushing ends: the waiting profiles are sent, the reason is logged, and
     * {@link PushStatus#lastError()} returns it.
     *
     * @param recording the recording; it stays open after {@link ProfilePush#close()}
     * @return this
     */
    public B recording(HeapRecording recording) {
        source = SampleSource.of(Objects.requireNonNull(recording, "recording"));
        return self();
    }

    /** For tests: an interval below a second. */
    B unboundedInterval(Duration value) {
        interval = value;
        return self();
    }

    /** For tests: variables by name, null for a variable that is not set. */
    B environment(Function<String, @Nullable String> value) {
        environment = value;
        return self();
    }

    /** For tests: another source than the sampler of the process. */
    B source(SampleSource value) {
        source = value;
        return self();
    }

    Map<String, String> headers() {
        return headers;
    }

    /** Returns the options, with values for those that the application may have left unset. */
    PushOptions options(
            String service,
            Map<String, String> allHeaders,
            Duration limit,
            @Nullable SSLContext tls) {
        Checks.oneTrust(httpClient, sslContext);
        return new PushOptions(
                service,
                Collections.unmodifiableMap(new LinkedHashMap<>(labels)),
                new SampleLabels(hasSampleLabels, sampleLabel, sampleLabels),
                hasPodLabels ? PushOptions.Pod.of(environment) : null,
                Collections.unmodifiableMap(new LinkedHashMap<>(allHeaders)),
                interval,
                limit,
                maxBackoff,
                closeTimeout,
                maxQueueBytes,
                maxSites,
                tls,
                httpClient);
    }

    /** Headers are secrets and not shown. */
    @Override
    public String toString() {
        return "%s[service=%s, labels=%s, interval=%s]"
                .formatted(getClass().getSimpleName(), serviceName, labels, interval);
    }
}
