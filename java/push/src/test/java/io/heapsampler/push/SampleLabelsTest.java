// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which labels of samples are pushed. tests/fleet reads them with the libraries of receivers. */
@Timeout(600)
class SampleLabelsTest {

    private FakeReceiver receiver;

    @BeforeEach
    void open() throws Exception {
        receiver = new FakeReceiver();
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    private FakeReceiver.Request first(PushBuilder<?> builder) throws InterruptedException {
        AtomicReference<HeapSnapshot> next = new AtomicReference<>(Heaps.labelled(100));
        builder.source(Heaps.running(() -> next.getAndSet(Heaps.labelled(115))));
        builder.serviceName("shop").unboundedInterval(Duration.ofMillis(20));
        try (ProfilePush push = builder.start()) {
            FakeReceiver.Request request = receiver.take();
            assertThat(push.status().lastError()).isNull();
            return request;
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String unzipped(byte[] gzip) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return text(in.readAllBytes());
        }
    }

    private String otlp(OtlpPushBuilder builder) throws Exception {
        return text(first(builder.endpoint(receiver.address())).unzipped());
    }

    private String pushV1(PyroscopePushBuilder builder) throws Exception {
        Matcher raw =
                Pattern.compile("\"rawProfile\":\"([^\"]+)\"")
                        .matcher(text(first(builder).unzipped()));
        assertThat(raw.find()).isTrue();
        return unzipped(Base64.getDecoder().decode(raw.group(1)));
    }

    private PyroscopePushBuilder pyroscope() {
        return ProfilePush.pyroscope(receiver.address());
    }

    @Test
    void otlpHasAllKeysAsTheyAre() throws Exception {
        assertThat(otlp(ProfilePush.otlp()))
                .contains("http.route", "GET /orders", "GET /carts", "tenant", "initech");
    }

    /** In ISO 8859-1, each char is a byte of the id. */
    private static final String TRACE = "\u00ab".repeat(15);

    @Test
    void otlpHasIdsOfTraces() throws Exception {
        assertThat(otlp(ProfilePush.otlp())).contains(TRACE);
    }

    @Test
    void idsOfTracesCanBeLeftOut() throws Exception {
        assertThat(otlp(ProfilePush.otlp().sampleTraces(false)))
                .contains("initech")
                .doesNotContain(TRACE);
    }

    @Test
    void withoutLabelsThereAreNoIdsOfTraces() throws Exception {
        assertThat(otlp(ProfilePush.otlp().sampleLabels(false)))
                .contains("byte[]")
                .doesNotContain(TRACE);
    }

    @Test
    void pyroscopeHasKeysThatItAcceptsAndNeitherClassesNorThreadsAsLabels() throws Exception {
        assertThat(pushV1(pyroscope()))
                .contains("http_route", "GET /orders", "GET /carts", "tenant", "initech")
                .doesNotContain("http.route");
    }

    @Test
    void theOlderApiOfPyroscopeHasThemAsWell() throws Exception {
        String ingest = text(first(pyroscope().api(PyroscopePushBuilder.Api.INGEST)).body());
        String profile = ingest.split("\r\n\r\n", 2)[1];
        assertThat(unzipped(profile.getBytes(StandardCharsets.ISO_8859_1))).contains("http_route");
    }

    @Test
    void oneKeyCanBeChosenForPyroscope() throws Exception {
        assertThat(pushV1(pyroscope().sampleLabel("tenant")))
                .contains("tenant", "initech")
                .doesNotContain("http_route", "GET /orders");
    }

    @Test
    void oneKeyCanBeChosenForOtlp() throws Exception {
        assertThat(otlp(ProfilePush.otlp().sampleLabel("tenant")))
                .contains("tenant", "initech")
                .doesNotContain("http.route", "GET /orders");
    }

    @Test
    void labelsCanBeLeftOutForPyroscope() throws Exception {
        assertThat(pushV1(pyroscope().sampleLabels(false)))
                .contains("byte[]")
                .doesNotContain("http_route", "initech");
    }

    @Test
    void labelsCanBeLeftOutForOtlp() throws Exception {
        assertThat(otlp(ProfilePush.otlp().sampleLabels(false)))
                .contains("byte[]")
                .doesNotContain("http.route", "initech");
    }

    @Test
    void valuesCanBeReplaced() throws Exception {
        assertThat(
                        otlp(
                                ProfilePush.otlp()
                                        .sampleLabels(
                                                (key, value) ->
                                                        key.equals("tenant")
                                                                ? "T-" + value
                                                                : null)))
                .contains("tenant", "T-initech")
                .doesNotContain("http.route", "GET /orders");
    }

    @Test
    void aKeyThatNoLabelCanHaveIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pyroscope().sampleLabel(""))
                .withMessageContaining("empty");
    }

    @ParameterizedTest
    @CsvSource({
        "endpoint, endpoint",
        "http.route, http_route",
        "Größe x, Gr__e_x",
        "2nd, label_2nd",
        "__name__, label___name__",
        "., _"
    })
    void namesAreThoseThatPyroscopeAccepts(String key, String name) {
        assertThat(SampleLabels.pyroscopeName(key)).isEqualTo(name);
    }
}
