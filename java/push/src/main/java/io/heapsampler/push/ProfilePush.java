// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import java.net.URI;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Pushes profiles to a receiver at a regular interval: to Grafana Pyroscope, or over OTLP to an
 * OpenTelemetry collector.
 *
 * <pre>{@code
 * HeapSampler.start();
 * ProfilePush push =
 *         ProfilePush.pyroscope(URI.create("http://pyroscope:4040"))
 *                 .serviceName("shop")
 *                 .label("region", "eu")
 *                 .start();
 * Runtime.getRuntime().addShutdownHook(new Thread(push::close));
 * }</pre>
 *
 * <p>Each push has the four figures of Go: {@code alloc_objects} and {@code alloc_space} are the
 * allocations since the previous push, {@code inuse_objects} and {@code inuse_space} are the live
 * objects now. The class is the leaf of each stack. Samples have no labels, because receivers make
 * a series of each combination; no names of threads leave the process.
 *
 * <p>The first interval begins when pushing starts, or when the sampler starts, if that is later.
 * Nothing is pushed while the sampler is stopped. After {@link io.heapsampler.HeapSampler#reset()}
 * the next interval begins at the reset; allocations between the previous push and the reset are
 * not reported.
 *
 * <p>A daemon thread does all the work; no other thread waits for it. Profiles that cannot be
 * delivered are kept and sent again after network errors, timeouts and temporary errors of the
 * receiver. Other errors drop the profile. {@link PushBuilder#maxQueueBytes(long)} bounds what is
 * kept; the oldest profile is dropped first, and {@link #status()} counts it. Each cause is logged
 * at most once an hour, as a warning of the {@link System.Logger} {@code io.heapsampler.push}.
 *
 * <p>Thread-safe.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class ProfilePush implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.heapsampler.push");

    private final Supplier<PushStatus> status;
    private final Runnable closing;

    private ProfilePush(Supplier<PushStatus> status, Runnable closing) {
        this.status = status;
        this.closing = closing;
    }

    ProfilePush(Pusher pusher) {
        this(pusher::status, pusher::close);
    }

    /** Returns one that pushes nothing, because a variable is true. It has no client or thread. */
    static ProfilePush disabled(String name, String variable) {
        String reason = variable + " is true, so nothing is pushed.";
        LOG.log(System.Logger.Level.INFO, name + ": " + reason);
        PushStatus status = new PushStatus(0, Map.of(), 0, 0, null, reason);
        return new ProfilePush(() -> status, () -> {});
    }

    /**
     * Returns a builder of a push to Grafana Pyroscope, or to a receiver with the same API, such as
     * {@code pyroscope.receive_http} of Grafana Alloy.
     *
     * @param address of the server, such as {@code http://pyroscope:4040}
     * @return a new builder
     */
    public static PyroscopePushBuilder pyroscope(URI address) {
        return new PyroscopePushBuilder(address);
    }

    /**
     * Returns a builder of a push to a receiver of OTLP profiles over HTTP, such as an
     * OpenTelemetry collector. The standard variables {@code OTEL_EXPORTER_OTLP_*} apply to
     * everything that the builder does not set; see {@link OtlpPushBuilder}.
     *
     * @return a new builder
     */
    public static OtlpPushBuilder otlp() {
        return new OtlpPushBuilder();
    }

    /**
     * Returns the state of this push.
     *
     * @return the counts of delivered, waiting and lost profiles, and the last error
     */
    public PushStatus status() {
        return status.get();
    }

    /**
     * Pushes the last interval and the waiting profiles, and ends. This takes {@link
     * PushBuilder#closeTimeout(java.time.Duration)} at most; profiles that are not delivered by
     * then are dropped and counted. An interrupt ends the wait. Further calls have no effect.
     */
    @Override
    public void close() {
        closing.run();
    }
}
