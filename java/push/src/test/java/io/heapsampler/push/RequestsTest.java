// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.SampleSource;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each API gets. Its own libraries read it in tests/fleet. */
@Timeout(600)
class RequestsTest {

    private FakeReceiver receiver;

    @BeforeEach
    void open() throws Exception {
        receiver = new FakeReceiver();
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    private static final Map<String, String> POD =
            Map.of("POD_NAME", "shop-1", "POD_NAMESPACE", "prod");

    private PyroscopePushBuilder pyroscope() {
        return shop(ProfilePush.pyroscope(receiver.address()));
    }

    private static <B extends PushBuilder<B>> B shop(B builder) {
        return builder.environment(POD::get)
                .source(heaps())
                .podLabels()
                .label("region", "a \"b\"")
                .serviceName("shop")
                .unboundedInterval(Duration.ofMillis(20));
    }

    /** The first interval lasts from second 100 to 115. */
    private static SampleSource heaps() {
        AtomicReference<HeapSnapshot> next = new AtomicReference<>(Heaps.at(100, 8_000, 64));
        return Heaps.running(() -> next.getAndSet(Heaps.at(115, 9_000, 64)));
    }

    private FakeReceiver.Request first(PushBuilder<?> builder) throws InterruptedException {
        try (ProfilePush push = builder.start()) {
            FakeReceiver.Request request = receiver.take();
            assertThat(push.status().lastError()).isNull();
            return request;
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String profile(byte[] gzip) throws Exception {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return text(in.readAllBytes());
        }
    }

    @Test
    void pushV1() throws Exception {
        FakeReceiver.Request request = first(pyroscope().bearerToken("secret"));
        String json = text(request.unzipped());

        assertThat(request.uri()).isEqualTo(URI.create("/push.v1.PusherService/Push"));
        assertThat(request.headers().getFirst("Content-Type")).isEqualTo("application/json");
        assertThat(request.headers().getFirst("Content-Encoding")).isEqualTo("gzip");
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer secret");
        assertThat(json)
                .startsWith(
                        "{\"series\":[{\"labels\":[{\"name\":\"__name__\",\"value\":\"memory\"},"
                                + "{\"name\":\"__delta__\",\"value\":\"false\"},"
                                + "{\"name\":\"service_name\",\"value\":\"shop\"},"
                                + "{\"name\":\"pod\",\"value\":\"shop-1\"},"
                                + "{\"name\":\"namespace\",\"value\":\"prod\"},"
                                + "{\"name\":\"region\",\"value\":\"a \\\"b\\\"\"}],"
                                + "\"samples\":[{\"ID\":\"");
        Matcher raw = Pattern.compile("\"rawProfile\":\"([^\"]+)\"}]}]}$").matcher(json);
        assertThat(raw.find()).isTrue();
        assertThat(profile(Base64.getDecoder().decode(raw.group(1))))
                .contains("byte[]", "com.acme.Cart.add")
                .doesNotContain("secret-thread");
    }

    @Test
    void ingest() throws Exception {
        FakeReceiver.Request request =
                first(
                        pyroscope()
                                .api(PyroscopePushBuilder.Api.INGEST)
                                .basicAuth("u", "p")
                                .header("X-Scope-OrgID", "team"));

        assertThat(request.uri().getPath()).isEqualTo("/ingest");
        assertThat(URLDecoder.decode(request.uri().getRawQuery(), StandardCharsets.UTF_8))
                .isEqualTo(
                        "name=shop{pod=shop-1,namespace=prod,region=a \"b\"}"
                                + "&from=1767225700000000000&until=1767225715000000000"
                                + "&spyName=heapsampler");
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Basic dTpw");
        assertThat(request.headers().getFirst("X-Scope-OrgID")).isEqualTo("team");
        assertThat(request.headers().getFirst("Content-Type"))
                .startsWith("multipart/form-data; boundary=heapsampler-");
        String[] parts = text(request.body()).split("\r\n--heapsampler-[0-9a-f-]+(--)?\r\n");
        assertThat(parts).hasSize(3);
        assertThat(parts[1])
                .startsWith("Content-Disposition: form-data; name=\"profile\"; filename");
        byte[] gzip = parts[1].split("\r\n\r\n", 2)[1].getBytes(StandardCharsets.ISO_8859_1);
        assertThat(profile(gzip)).contains("byte[]").doesNotContain("secret-thread");
        assertThat(parts[2]).contains("name=\"sample_type_config\"", "\"aggregation\":\"average\"");
    }

    @Test
    void otlp() throws Exception {
        FakeReceiver.Request request = first(shop(ProfilePush.otlp().endpoint(receiver.address())));

        assertThat(request.uri()).isEqualTo(URI.create("/v1development/profiles"));
        assertThat(request.headers().getFirst("Content-Type")).isEqualTo("application/x-protobuf");
        assertThat(request.headers().getFirst("Content-Encoding")).isEqualTo("gzip");
        assertThat(text(request.unzipped()))
                .contains("service.name", "shop", "k8s.pod.name", "k8s.namespace.name")
                .contains("region", "alloc_space", "byte[]", "com.acme.Cart.add")
                .doesNotContain("secret-thread");
    }

    private OtlpPushBuilder otlp(Map<String, String> variables) {
        return ProfilePush.otlp()
                .environment(variables::get)
                .source(heaps())
                .unboundedInterval(Duration.ofMillis(20));
    }

    /** Returns the attributes of the resource in the next request, as text. */
    private static String resource(FakeReceiver.Request request) throws Exception {
        String all = text(request.unzipped());
        return all.substring(0, all.indexOf("io.heapsampler"));
    }

    private static final Map<String, String> OF_THE_ENVIRONMENT =
            Map.of(
                    "OTEL_SERVICE_NAME", "of-variable",
                    "OTEL_RESOURCE_ATTRIBUTES", "only.variable=v1,both=of-variable");

    @Test
    void otlpTakesTheResourceOfTheProcessContext() throws Exception {
        byte[] payload =
                ContextBytes.texts(
                        "service.name", "of-context",
                        "service.instance.id", "627cc493",
                        "both", "of-context",
                        "region", "of-context");
        OtlpPushBuilder builder = otlp(OF_THE_ENVIRONMENT).endpoint(receiver.address());

        assertThat(resource(first(builder.label("region", "eu").processContext(() -> payload))))
                .contains("of-context", "service.instance.id", "627cc493", "only.variable", "v1")
                .contains("both\022\014\n\nof-context", "region\022\004\n\002eu")
                .doesNotContain("of-variable");
    }

    @Test
    void theServiceNameOfTheBuilderWinsOverTheProcessContext() throws Exception {
        byte[] payload = ContextBytes.texts("service.name", "of-context");

        assertThat(
                        resource(
                                first(
                                        otlp(OF_THE_ENVIRONMENT)
                                                .endpoint(receiver.address())
                                                .serviceName("of-option")
                                                .processContext(() -> payload))))
                .contains("of-option")
                .doesNotContain("of-context", "service.name\022\015\n\013of-variable");
    }

    /** It is no variable, though the SDK has read these. */
    @Test
    void ignoringTheEnvironmentLeavesTheProcessContext() throws Exception {
        byte[] payload = ContextBytes.texts("service.name", "of-context");
        OtlpPushBuilder builder = otlp(OF_THE_ENVIRONMENT).endpoint(receiver.address());

        assertThat(resource(first(builder.processContext(() -> payload).ignoreEnvironment())))
                .contains("of-context")
                .doesNotContain("of-variable");
    }

    @Test
    void aServiceNameOfTheProcessContextThatIsEmptyDoesNotWin() throws Exception {
        byte[] payload = ContextBytes.texts("service.name", "", "other", "of-context");
        OtlpPushBuilder builder = otlp(OF_THE_ENVIRONMENT).endpoint(receiver.address());

        assertThat(resource(first(builder.processContext(() -> payload))))
                .contains("service.name\022\015\n\013of-variable", "of-context");
    }

    @Test
    void otlpIgnoresDamagedAndUnwantedProcessContexts() throws Exception {
        byte[] payload = ContextBytes.texts("service.name", "of-context");
        OtlpPushBuilder builder = otlp(OF_THE_ENVIRONMENT).endpoint(receiver.address());

        assertThat(resource(first(builder.processContext(() -> new byte[] {10, 99}))))
                .contains("of-variable");
        assertThat(resource(first(builder.processContext(() -> payload).processContext(false))))
                .contains("of-variable")
                .doesNotContain("of-context");
    }

    @Test
    void aProcessContextMayBePublishedAndReplacedWhilePushing() throws Exception {
        AtomicReference<byte[]> payload = new AtomicReference<>(new byte[0]);
        OtlpPushBuilder builder = otlp(OF_THE_ENVIRONMENT).endpoint(receiver.address());
        builder.source(Heaps.running(() -> Heaps.at(115, 9_000, 64)));

        try (ProfilePush push = builder.processContext(payload::get).start()) {
            assertThat(resource(receiver.take())).contains("of-variable");
            for (String name : new String[] {"first", "second"}) {
                payload.set(ContextBytes.texts("service.name", name));
                String resource = resource(receiver.take());
                while (!resource.contains(name)) {
                    resource = resource(receiver.take());
                }
            }
            assertThat(push.status().lastError()).isNull();
        }
    }

    @Test
    void otlpHonoursTheVariablesOfOpenTelemetry() throws Exception {
        FakeReceiver.Request request =
                first(
                        otlp(
                                Map.of(
                                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                                        receiver.address() + "/base/",
                                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                                        "http/protobuf",
                                        "OTEL_EXPORTER_OTLP_HEADERS",
                                        "authorization=Bearer%20secret, X-Team = a+b",
                                        "OTEL_EXPORTER_OTLP_COMPRESSION",
                                        "none",
                                        "OTEL_EXPORTER_OTLP_TIMEOUT",
                                        "20000",
                                        "OTEL_SERVICE_NAME",
                                        "cart",
                                        "OTEL_RESOURCE_ATTRIBUTES",
                                        "service.name=other,deployment.environment.name=pr%C3%BCf")));

        assertThat(request.uri()).isEqualTo(URI.create("/base/v1development/profiles"));
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer secret");
        assertThat(request.headers().getFirst("X-Team")).isEqualTo("a+b");
        assertThat(request.headers().getFirst("Content-Encoding")).isNull();
        assertThat(new String(request.body(), StandardCharsets.UTF_8))
                .contains("service.name", "cart", "deployment.environment.name", "prüf")
                .doesNotContain("other");
    }

    @Test
    void optionsOfTheBuilderWinOverVariables() throws Exception {
        FakeReceiver.Request request =
                first(
                        otlp(Map.of(
                                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                                        "http://collector.invalid",
                                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                                        "grpc",
                                        "OTEL_EXPORTER_OTLP_HEADERS",
                                        "authorization=Bearer%20theirs,x-team",
                                        "OTEL_EXPORTER_OTLP_COMPRESSION",
                                        "none",
                                        "OTEL_SERVICE_NAME",
                                        "cart",
                                        "OTEL_RESOURCE_ATTRIBUTES",
                                        "region=us,zone=z1"))
                                .endpoint(receiver.address())
                                .bearerToken("ours")
                                .compression(OtlpPushBuilder.Compression.GZIP)
                                .label("region", "eu")
                                .serviceName("shop"));

        assertThat(request.uri()).isEqualTo(URI.create("/v1development/profiles"));
        assertThat(request.headers().get("Authorization")).containsExactly("Bearer ours");
        assertThat(text(request.unzipped()))
                .contains("shop", "region", "eu", "zone", "z1")
                .doesNotContain("cart", "us,");
    }

    /** Variables that are invalid do not matter then, and no client is made. */
    @Test
    void nothingIsPushedWhereTheSdkIsDisabled() throws Exception {
        Map<String, String> variables =
                Map.of(
                        "OTEL_SDK_DISABLED", "True",
                        "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
                        "OTEL_EXPORTER_OTLP_TIMEOUT", "soon",
                        "OTEL_EXPORTER_OTLP_HEADERS", "secret",
                        "OTEL_EXPORTER_OTLP_CLIENT_KEY", "none.pem",
                        "OTEL_RESOURCE_ATTRIBUTES", "secret");
        OtlpPushBuilder builder = otlp(variables);
        Set<Thread> before = Thread.getAllStackTraces().keySet();

        ProfilePush push = builder.start();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("HttpClient"))
                .isSubsetOf(before);
        push.close();
        assertThat(push.status().lastError())
                .isEqualTo("OTEL_SDK_DISABLED is true, so nothing is pushed.");
        assertThat(push.status().delivered()).isZero();
        assertThat(push.status().dropped()).isEmpty();
        // The next request is the first one of this push.
        builder.endpoint(receiver.address());
        assertThat(resource(first(builder.serviceName("enabled").ignoreEnvironment())))
                .contains("enabled");
    }

    /** They hold the credentials of the endpoint that the environment names. */
    @Test
    void headersOfTheEnvironmentAreNotSentToAnEndpointInCode() throws Exception {
        FakeReceiver.Request request =
                first(
                        otlp(Map.of(
                                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                                        "http://collector.invalid",
                                        "OTEL_EXPORTER_OTLP_HEADERS",
                                        "authorization=Bearer%20theirs,x-team=a",
                                        "OTEL_SERVICE_NAME",
                                        "cart"))
                                .endpoint(receiver.address())
                                .header("X-Own", "b"));

        assertThat(request.headers().getFirst("X-Own")).isEqualTo("b");
        assertThat(request.headers().get("Authorization")).isNull();
        assertThat(request.headers().get("X-Team")).isNull();
        assertThat(text(request.unzipped())).contains("cart");
    }

    /** Also if names differ in case. */
    @Test
    void headersOfTheBuilderWinOverThoseOfTheEnvironment() throws Exception {
        FakeReceiver.Request request =
                first(
                        otlp(Map.of(
                                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                                        receiver.address().toString(),
                                        "OTEL_EXPORTER_OTLP_HEADERS",
                                        "Authorization=Bearer%20theirs,x-own=c,x-team=a"))
                                .bearerToken("ours")
                                .header("X-Own", "b"));

        assertThat(request.headers().get("Authorization")).containsExactly("Bearer ours");
        assertThat(request.headers().get("X-Own")).containsExactly("b");
        assertThat(request.headers().getFirst("X-Team")).isEqualTo("a");
    }

    @Test
    void theEnvironmentCanBeIgnored() throws Exception {
        FakeReceiver.Request request =
                first(
                        otlp(Map.of(
                                        "OTEL_EXPORTER_OTLP_HEADERS",
                                        "x-team=a",
                                        "OTEL_EXPORTER_OTLP_TIMEOUT",
                                        "soon",
                                        "OTEL_SERVICE_NAME",
                                        "cart",
                                        "POD_NAME",
                                        "shop-1"))
                                .endpoint(receiver.address())
                                .podLabels()
                                .ignoreEnvironment());

        assertThat(request.headers().getFirst("X-Team")).isNull();
        assertThat(text(request.unzipped()))
                .contains("unknown_service:java", "shop-1")
                .doesNotContain("cart");
    }
}
