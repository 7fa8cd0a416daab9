// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.internal.shared.SampleSource;
import java.net.URI;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Pushes to a receiver of OTLP profiles over HTTP, such as an OpenTelemetry collector.
 *
 * <p><b>Experimental</b>: profiles are the part of OpenTelemetry that still changes. This speaks
 * OTLP 1.11 ({@code opentelemetry.proto.profiles.v1development}, at {@code
 * /v1development/profiles}); a later version of this class may speak a later one. A collector needs
 * {@code --feature-gates=service.profilesSupport}.
 *
 * <pre>{@code
 * HeapSampler.start();
 * PushOptions options = PushOptions.builder("shop").podLabels().build();
 * OtlpProfilesPush push = OtlpProfilesPush.start(URI.create("http://collector:4318"), options);
 * Runtime.getRuntime().addShutdownHook(new Thread(push::close));
 * }</pre>
 *
 * <p>Each push holds up to four profiles over one dictionary, for a profile of OTLP has one type of
 * sample: {@code alloc_objects} and {@code alloc_space} as what was allocated since the last push,
 * {@code inuse_objects} and {@code inuse_space} as what is live now. OTLP cannot say which is
 * which, and receivers add nothing up. The class stands as the leaf of each stack; samples have no
 * attributes. Service, labels and pod are attributes of the resource: {@code service.name}, the
 * labels under their own names, {@code k8s.pod.name}, {@code k8s.namespace.name}.
 *
 * <p>Intervals, the thread, what is kept and what is logged are as with {@link PyroscopePush}. Only
 * the answers 429, 502, 503 and 504 are temporary here, as the specification wants it; a partial
 * success counts as delivered and as refused.
 *
 * <p>Safe for use by many threads.
 */
public final class OtlpProfilesPush implements AutoCloseable {

    private final Pusher pusher;

    private OtlpProfilesPush(Pusher pusher) {
        this.pusher = pusher;
    }

    /**
     * Starts to push. The sampler need not have been started.
     *
     * @param address of the receiver, such as {@code http://collector:4318}
     * @param options what is pushed under which names
     * @return what pushes, to be closed
     * @throws IllegalArgumentException if the address is none
     */
    public static OtlpProfilesPush start(URI address, PushOptions options) {
        return start(address, options, options.source());
    }

    static OtlpProfilesPush start(URI address, PushOptions options, SampleSource source) {
        URI to = Addresses.of(address, OtlpReceiver.PATH);
        Receiver receiver = new OtlpReceiver(to, resource(options), options);
        return new OtlpProfilesPush(Pusher.start("otlp", to, source, receiver, options));
    }

    private static Map<String, String> resource(PushOptions options) {
        Map<String, String> resource = new LinkedHashMap<>();
        resource.put("service.name", options.serviceName());
        Pod pod = options.pod();
        if (pod != null) {
            pod.addTo(resource, "k8s.pod.name", "k8s.namespace.name");
        }
        resource.putAll(options.labels());
        return Collections.unmodifiableMap(resource);
    }

    /**
     * Says how it goes.
     *
     * @return what was delivered, what waits, what was lost, and the last error
     */
    public PushStatus status() {
        return pusher.status();
    }

    /**
     * Pushes the last interval and what still waits, and ends. Takes {@link
     * PushOptions#closeTimeout()} at most; what is not delivered by then is dropped and counted. An
     * interrupt ends the wait. Can be called twice.
     */
    @Override
    public void close() {
        pusher.close();
    }
}
