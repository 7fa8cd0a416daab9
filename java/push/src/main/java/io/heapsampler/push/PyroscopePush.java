// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.internal.shared.SampleSource;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Pushes to Grafana Pyroscope, or to what takes its requests, such as {@code
 * pyroscope.receive_http} of Grafana Alloy.
 *
 * <pre>{@code
 * HeapSampler.start();
 * PushOptions options = PushOptions.builder("shop").label("region", "eu").build();
 * PyroscopePush push = PyroscopePush.start(URI.create("http://pyroscope:4040"), options);
 * Runtime.getRuntime().addShutdownHook(new Thread(push::close));
 * }</pre>
 *
 * <p>Each push holds the four figures of Go under the name {@code memory}: {@code alloc_objects}
 * and {@code alloc_space} as what was allocated since the last push (Pyroscope is told not to
 * subtract again), {@code inuse_objects} and {@code inuse_space} as what is live now. The class
 * stands as the leaf of each stack. There are no labels on single samples, of which Pyroscope would
 * make thousands of series, and so no names of threads leave the process.
 *
 * <p>The first interval begins when pushing starts, or later, when the sampler does. While the
 * sampler is stopped nothing is pushed. After {@link io.heapsampler.HeapSampler#reset()} the next
 * interval begins at the reset; what was allocated between the push before it and the reset is
 * never told.
 *
 * <p>A daemon thread does all the work; no other thread waits for it. What cannot be delivered is
 * kept and sent again: after network errors, timeouts, and the answers 408, 429 and 5xx except 501.
 * Other answers drop the profile. {@link PushOptions#maxQueueBytes()} bounds what is kept, the
 * oldest goes first, and {@link #status()} counts what was lost. Each cause of trouble is logged
 * once an hour at most, as a warning of the {@link System.Logger} {@code io.heapsampler.push}.
 *
 * <p>Safe for use by many threads.
 */
public final class PyroscopePush implements AutoCloseable {

    /** The two ways into Pyroscope. */
    public enum Api {
        /** {@code /push.v1.PusherService/Push}, which Pyroscope 1.0 and later have, and Alloy. */
        PUSH_V1,

        /**
         * {@code /ingest}, which every version has. Names and values of labels have fewer
         * characters to choose from.
         */
        INGEST
    }

    private final Pusher pusher;

    private PyroscopePush(Pusher pusher) {
        this.pusher = pusher;
    }

    /**
     * Starts to push, over {@link Api#PUSH_V1}. The sampler need not have been started.
     *
     * @param address of the server, such as {@code http://pyroscope:4040}
     * @param options what is pushed under which names
     * @return what pushes, to be closed
     * @throws IllegalArgumentException if the address is none, or a label cannot be one here
     */
    public static PyroscopePush start(URI address, PushOptions options) {
        return start(address, options, Api.PUSH_V1);
    }

    /**
     * Starts to push. The sampler need not have been started.
     *
     * @param address of the server, such as {@code http://pyroscope:4040}
     * @param options what is pushed under which names
     * @param api the way in
     * @return what pushes, to be closed
     * @throws IllegalArgumentException if the address is none, or a label cannot be one here
     */
    public static PyroscopePush start(URI address, PushOptions options, Api api) {
        return start(address, options, api, options.source());
    }

    static PyroscopePush start(URI address, PushOptions options, Api api, SampleSource source) {
        Map<String, String> labels = labels(options);
        URI to = Addresses.of(address, api == Api.INGEST ? "/ingest" : PushV1Receiver.PATH);
        Receiver receiver =
                api == Api.INGEST
                        ? new IngestReceiver(to, labels, options)
                        : new PushV1Receiver(to, labels, options);
        return new PyroscopePush(Pusher.start("pyroscope", to, source, receiver, options));
    }

    private static Map<String, String> labels(PushOptions options) {
        Map<String, String> labels = new LinkedHashMap<>();
        Pod pod = options.pod();
        if (pod != null) {
            pod.addTo(labels, "pod", "namespace");
        }
        labels.putAll(options.labels());
        for (String name : labels.keySet()) {
            if (name.indexOf('.') >= 0) {
                throw new IllegalArgumentException(
                        "a label of Pyroscope has no dots, but this is \""
                                + name
                                + "\". Name it "
                                + name.replace('.', '_')
                                + ".");
            }
        }
        return labels;
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
