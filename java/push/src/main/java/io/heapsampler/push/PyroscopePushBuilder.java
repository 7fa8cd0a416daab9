// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.ApiStatus;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * Starts a push to Grafana Pyroscope. {@link #serviceName(String)} is required.
 *
 * <pre>{@code
 * ProfilePush push =
 *         ProfilePush.pyroscope(URI.create("http://pyroscope:4040")).serviceName("shop").start();
 * }</pre>
 *
 * <p>The figures are pushed under the name {@code memory}. Pyroscope is instructed not to subtract
 * the previous allocations again. It makes a series of each set of labels of samples, whose keys
 * get underscores in place of characters that it does not accept. The responses 408, 429 and 5xx
 * except 501 are temporary.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class PyroscopePushBuilder extends PushBuilder<PyroscopePushBuilder> {

    /** The two APIs of Pyroscope. */
    public enum Api {
        /** {@code /push.v1.PusherService/Push}, in Pyroscope 1.0 and later, and in Alloy. */
        PUSH_V1,

        /**
         * {@code /ingest}, in every version. Names and values of labels may contain fewer
         * characters.
         */
        INGEST
    }

    private final URI address;
    private Api api = Api.PUSH_V1;

    PyroscopePushBuilder(URI address) {
        this.address = Objects.requireNonNull(address, "address");
    }

    /**
     * Chooses the API.
     *
     * @param value {@link Api#PUSH_V1} by default
     * @return this
     */
    public PyroscopePushBuilder api(Api value) {
        api = Objects.requireNonNull(value, "api");
        return this;
    }

    @Override
    public ProfilePush start() {
        if (serviceName == null) {
            throw new IllegalStateException(
                    "the service has no name. Call serviceName(\"shop\"), say.");
        }
        Duration limit = timeout == null ? DEFAULT_TIMEOUT : timeout;
        PushOptions options = options(serviceName, headers(), limit, sslContext);
        Map<String, String> labels = labels(options);
        Receiver receiver =
                api == Api.INGEST
                        ? new IngestReceiver(Checks.address(address, "/ingest"), labels, options)
                        : new PushV1Receiver(
                                Checks.address(address, PushV1Receiver.PATH), labels, options);
        return new ProfilePush(Pusher.start("pyroscope", source, receiver));
    }

    private static Map<String, String> labels(PushOptions options) {
        Map<String, String> labels = options.labelsAndPod("pod", "namespace");
        for (String name : labels.keySet()) {
            if (name.indexOf('.') >= 0) {
                throw new IllegalArgumentException(
                        "a label of Pyroscope has no dots, but this is \"%s\". Name it %s."
                                .formatted(name, name.replace('.', '_')));
            }
        }
        return labels;
    }

    @Override
    PyroscopePushBuilder self() {
        return this;
    }
}
