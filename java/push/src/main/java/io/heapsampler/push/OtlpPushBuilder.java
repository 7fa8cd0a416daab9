// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.ApiStatus;
import io.heapsampler.internal.shared.ProcessContext;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Starts a push to a receiver of OTLP profiles over HTTP, such as an OpenTelemetry collector.
 *
 * <pre>{@code
 * ProfilePush push =
 *         ProfilePush.otlp()
 *                 .endpoint(URI.create("http://collector:4318"))
 *                 .serviceName("shop")
 *                 .start();
 * }</pre>
 *
 * <p><b>Experimental</b>: the profiles of OpenTelemetry are not stable. This class supports OTLP
 * 1.11 ({@code opentelemetry.proto.profiles.v1development}, at {@code /v1development/profiles}); a
 * later version of it may support a later OTLP. A collector needs {@code
 * --feature-gates=service.profilesSupport}.
 *
 * <p>Options that this builder does not set come from the standard variables of OpenTelemetry, if
 * they are set. {@link #start()} reads them:
 *
 * <table>
 * <caption>Variables</caption>
 * <tr><th>variable</th><th>option</th><th>values</th></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_ENDPOINT}</td><td>{@link #endpoint(URI)}</td>
 *     <td>a URL; {@code /v1development/profiles} is appended</td></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_PROTOCOL}</td><td>none</td>
 *     <td>{@code http/protobuf} only; read unless {@link #endpoint(URI)} is called</td></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_HEADERS}</td><td>{@link #header(String, String)}</td>
 *     <td>{@code name=value,name=value}, values percent-encoded; added to the headers of this
 *     builder, which win over equal names; not sent to an address given to {@link
 *     #endpoint(URI)}, because they hold the credentials of another</td></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_TIMEOUT}</td><td>{@link #timeout(Duration)}</td>
 *     <td>milliseconds, from 100 to a day; 0 for 10 minutes, not for no limit, because a request
 *     without response delays all later ones</td></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_COMPRESSION}</td><td>{@link #compression(Compression)}</td>
 *     <td>{@code gzip} or {@code none}</td></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_CERTIFICATE}</td>
 *     <td>{@link #sslContext(SSLContext)}</td>
 *     <td>a PEM file with the trusted certificates; read for {@code https:} addresses, unless an
 *     SSL context or an HTTP client is set</td></tr>
 * <tr><td>{@code OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE}, {@code
 *     OTEL_EXPORTER_OTLP_CLIENT_KEY}</td>
 *     <td>{@link #sslContext(SSLContext)}</td>
 *     <td>PEM files with the certificates of this client, its own first, and with its unencrypted
 *     key (PKCS#8); both or neither; read likewise</td></tr>
 * <tr><td>{@code OTEL_SDK_DISABLED}</td><td>none</td>
 *     <td>{@code true}: nothing is pushed, no other variable is read, and {@link
 *     PushStatus#lastError()} says so</td></tr>
 * <tr><td>{@code OTEL_SERVICE_NAME}</td><td>{@link #serviceName(String)}</td>
 *     <td>a name; else {@code service.name} of the following variable, else {@code
 *     unknown_service:java}</td></tr>
 * <tr><td>{@code OTEL_RESOURCE_ATTRIBUTES}</td><td>{@link #label(String, String)}</td>
 *     <td>{@code key=value,key=value}, percent-encoded; labels and pod win over equal keys</td></tr>
 * </table>
 *
 * <p>Each {@code OTEL_EXPORTER_OTLP_X} is replaced by {@code OTEL_EXPORTER_OTLP_PROFILES_X}, if
 * that is set; {@code OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT} is used as it is, with nothing
 * appended. An empty variable counts as not set. Invalid values are refused: {@link #start()}
 * throws {@link IllegalArgumentException}. {@code OTEL_EXPORTER_OTLP_INSECURE} concerns gRPC and is
 * not read.
 *
 * <p>The resource of the profiles is that of the process, so that a receiver sees an in-process
 * heap profile and a profile of a host profiler as profiles of one service instance. Each of these
 * wins over equal keys of those below:
 *
 * <ol>
 *   <li>options of this builder: service name, labels, pod;
 *   <li>the resource in the process context, if an SDK of OpenTelemetry has published one in this
 *       process (OTEP 4719): {@code service.name}, {@code service.instance.id} and the rest. {@code
 *       process.command_args} and {@code process.command_line} are left out, because arguments may
 *       be passwords; {@link #label(String, String)} can set them. A {@code service.name} that is
 *       blank or no text is left out as well. The context is read for each push, so it may be
 *       published and replaced at any time. One that is damaged, of another version than 2 or
 *       longer than 64 KiB is ignored; damage is logged once at debug level;
 *   <li>the variables {@code OTEL_SERVICE_NAME} and {@code OTEL_RESOURCE_ATTRIBUTES}. An SDK has
 *       merged them into its own resource already;
 *   <li>{@code service.name}: {@code unknown_service:java}.
 * </ol>
 *
 * <p>HeapSampler publishes no process context. A process has at most one, and it belongs to the
 * SDK, which alone knows the resource of the other signals.
 *
 * <p>Each push has up to four profiles over one dictionary, because a profile of OTLP has one type
 * of sample. OTLP does not say whether figures are deltas, and receivers add nothing up. Service,
 * labels and pod are attributes of the resource: {@code service.name}, the labels under their own
 * names, {@code k8s.pod.name}, {@code k8s.namespace.name}. The responses 429, 502, 503 and 504 are
 * temporary; a partial success counts as delivered and as refused.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class OtlpPushBuilder extends PushBuilder<OtlpPushBuilder> {

    /** How requests are compressed. */
    public enum Compression {
        /** With gzip. */
        GZIP,

        /** Not at all. */
        NONE
    }

    private static final String SERVICE_NAME = OtelVariables.SERVICE_KEY;

    private @Nullable URI endpoint;
    private @Nullable Compression compression;
    private boolean isIgnoringEnvironment;
    private boolean hasProcessContext = true;
    private @Nullable Supplier<byte[]> context;
    private boolean hasTraces = true;

    OtlpPushBuilder() {}

    /**
     * Sets the address of the receiver.
     *
     * @param address such as {@code http://collector:4318}; {@code /v1development/profiles} is
     *     appended unless it ends with that; {@code http://localhost:4318} by default
     * @return this
     */
    public OtlpPushBuilder endpoint(URI address) {
        endpoint = Objects.requireNonNull(address, "endpoint");
        return this;
    }

    /**
     * Chooses the compression of requests.
     *
     * @param value {@link Compression#GZIP} by default
     * @return this
     */
    public OtlpPushBuilder compression(Compression value) {
        compression = Objects.requireNonNull(value, "compression");
        return this;
    }

    /**
     * Sets whether samples of allocations have links to traces, which lead to requests of users;
     * see {@link io.heapsampler.HeapSite#examples()}. {@code sampleLabels(false)} leaves them out
     * as well; a function that replaces labels does not.
     *
     * @param value false to push no ids of traces and spans; true by default
     * @return this
     */
    public OtlpPushBuilder sampleTraces(boolean value) {
        hasTraces = value;
        return this;
    }

    /**
     * Ignores the variables {@code OTEL_*}, for example because they hold the credentials of
     * another receiver. The process context is no variable: its resource is still pushed, with all
     * that the SDK has merged into it from {@code OTEL_SERVICE_NAME} and {@code
     * OTEL_RESOURCE_ATTRIBUTES}. {@code processContext(false)} leaves that out.
     *
     * @return this
     */
    public OtlpPushBuilder ignoreEnvironment() {
        isIgnoringEnvironment = true;
        return this;
    }

    /**
     * Sets whether the resource attributes of the process context are pushed, which an SDK of
     * OpenTelemetry has published in this process, see above. An SDK may know more than a receiver
     * of profiles needs, such as the path of the executable.
     *
     * @param value false to push none of them; true by default
     * @return this
     */
    public OtlpPushBuilder processContext(boolean value) {
        hasProcessContext = value;
        return this;
    }

    @Override
    public ProfilePush start() {
        OtelVariables variables =
                new OtelVariables(isIgnoringEnvironment ? name -> null : environment);
        // First, because the other variables do not matter then, valid or not.
        return variables.isDisabled()
                ? ProfilePush.disabled("otlp", OtelVariables.DISABLED)
                : new ProfilePush(Pusher.start("otlp", source, receiver(variables)));
    }

    private Receiver receiver(OtelVariables variables) {
        URI to =
                endpoint == null
                        ? variables.endpoint()
                        : Checks.address(endpoint, OtlpReceiver.PATH);
        String service = serviceName == null ? variables.serviceName() : serviceName;
        Duration limit = timeout == null ? variables.timeout().orElse(DEFAULT_TIMEOUT) : timeout;
        PushOptions options = options(service, allHeaders(variables), limit, trust(variables, to));
        Map<String, String> defaults = variables.resource();
        defaults.put(SERVICE_NAME, service);
        OtlpReceiver.Resource resource =
                new OtlpReceiver.Resource(defaults, contextResource(), resourceOptions(options));
        Compression packed =
                compression == null
                        ? variables.compression().orElse(Compression.GZIP)
                        : compression;
        return new OtlpReceiver(to, resource, options, packed, hasTraces);
    }

    private Map<String, String> resourceOptions(PushOptions options) {
        Map<String, String> attributes = options.labelsAndPod("k8s.pod.name", "k8s.namespace.name");
        if (serviceName != null) {
            attributes.put(SERVICE_NAME, serviceName);
        }
        return attributes;
    }

    private Supplier<Map<String, Object>> contextResource() {
        return hasProcessContext
                ? new ProcessResource(context == null ? new ProcessContext()::payload : context)
                : Map::of;
    }

    /** For tests: another process context than that of this process. */
    OtlpPushBuilder processContext(Supplier<byte[]> payload) {
        context = payload;
        return this;
    }

    /** Headers of the environment hold the credentials of its endpoint, and go to no other. */
    private Map<String, String> allHeaders(OtelVariables variables) {
        if (endpoint != null) {
            return headers();
        }
        Map<String, String> all = variables.headers();
        // They come last, and so replace equal names in the request; case does not matter.
        all.putAll(headers());
        return all;
    }

    private @Nullable SSLContext trust(OtelVariables variables, URI to) {
        boolean isSet = sslContext != null || httpClient != null;
        return isSet || !"https".equalsIgnoreCase(to.getScheme())
                ? sslContext
                : variables.sslContext().orElse(null);
    }

    @Override
    OtlpPushBuilder self() {
        return this;
    }
}
