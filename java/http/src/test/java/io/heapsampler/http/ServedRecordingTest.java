// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.acme.Allocations;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplingStrategy;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An endpoint that serves one recording, with a filter, beside the process-wide sampler. */
class ServedRecordingTest {

    private static final String ROOT = "/debug/heapsampler/";
    private static final int ARRAYS = 10;

    private HeapRecording recording;
    private HeapSamplerEndpoint endpoint;
    private final List<Object> kept = new ArrayList<>();

    @BeforeEach
    void open() {
        FakeSource.sampled();
        recording =
                HeapSampler.record(
                        RecordingOptions.builder()
                                .interval(0)
                                .thread(Thread.currentThread())
                                .className(long[].class)
                                .build());
        endpoint =
                new HeapSamplerEndpoint(
                        EndpointOptions.builder()
                                .allowUnauthenticated()
                                .recording(recording)
                                .build());
        for (int i = 0; i < ARRAYS; i++) {
            kept.add(Allocations.array(long.class, 4));
            kept.add(Allocations.bytes(64));
        }
    }

    @AfterEach
    void close() {
        recording.close();
        HeapSampler.start(); // as other tests want it
    }

    private void assertAnswer(Asking.Answer answer, int status, String... texts) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.text()).contains(texts);
    }

    @Test
    void allProfilesAreThoseOfTheRecording() {
        Asking.Answer top = ask(endpoint, "GET", ROOT + "top.json");
        assertAnswer(top, 200, "long[]");
        assertThat(top.text()).doesNotContain("byte[]");
        Asking.Answer heap = ask(endpoint, "GET", "/debug/pprof/allocs?debug=1");
        assertAnswer(heap, 200, "ServedRecordingTest");
        assertThat(heap.text()).contains(" [" + ARRAYS + ": ");
        assertAnswer(ask(endpoint, "GET", ROOT + "metrics"), 200, "long[]");
        // The data of a large report is compressed.
        assertAnswer(ask(endpoint, "GET", ROOT + "flame.html"), 200, "<title>");
    }

    @Test
    void theStatusIsThatOfTheRecording() {
        assertAnswer(
                ask(endpoint, "GET", ROOT + "status.json"),
                200,
                "\"state\":\"RUNNING\"",
                "\"holders\":[]",
                "\"interval\":0",
                "\"recording\":true");
    }

    @Test
    void stopAndIntervalChangeOnlyTheRecording() {
        long interval = HeapSampler.status().interval();
        assertAnswer(
                post(endpoint, ROOT + "interval", "interval=16384"), 200, "\"interval\":16384");
        assertAnswer(post(endpoint, ROOT + "stop", ""), 200, "\"state\":\"STOPPED\"");
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(HeapSampler.status().interval()).isEqualTo(interval);
        assertAnswer(ask(endpoint, "GET", ROOT + "top.json"), 200, "long[]");
    }

    @Test
    void startAndResetAreRefused() {
        assertAnswer(
                post(endpoint, ROOT + "start", "interval=16384"), 409, "cannot be started again");
        assertAnswer(post(endpoint, ROOT + "reset", ""), 409, "keeps its samples until it is");
        assertAnswer(ask(endpoint, "GET", ROOT + "status.json"), 200, "\"interval\":0", "RUNNING");
    }

    @Test
    void anIntervalIsRefusedWhileAnotherStrategyIsInForce() {
        recording.close();
        restart(SamplingStrategy.atMostOnePer(Duration.ofMillis(10)));
        try (HeapRecording capped = HeapSampler.record(RecordingOptions.builder().build())) {
            HeapSamplerEndpoint cappedEndpoint =
                    new HeapSamplerEndpoint(
                            EndpointOptions.builder()
                                    .allowUnauthenticated()
                                    .recording(capped)
                                    .build());
            assertAnswer(
                    post(cappedEndpoint, ROOT + "interval", "interval=16384"),
                    409,
                    "no interval of its own");
        } finally {
            restart(SamplingStrategy.bytes(65_536));
        }
    }

    private static void restart(SamplingStrategy strategy) {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(SamplerOptions.builder().strategy(strategy).build());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/debug/pprof/",
                "/debug/pprof/heap",
                "/debug/pprof/heap?gc=1",
                "/debug/pprof/delta_heap",
                "/debug/heapsampler/",
                "/debug/heapsampler/top.json",
                "/debug/heapsampler/status.json",
                "/debug/heapsampler/metrics",
                "/debug/heapsampler/growth.json",
                "/debug/heapsampler/no-such-page"
            })
    void eachRequestGets410OnceTheRecordingIsClosed(String target) {
        recording.close();
        assertAnswer(ask(endpoint, "GET", target), 410, "The recording is closed");
    }

    @Test
    void eachChangeGets410OnceTheRecordingIsClosed() {
        recording.close();
        for (String name : List.of("start", "stop", "reset", "interval", "gc")) {
            assertAnswer(post(endpoint, ROOT + name, ""), 410, "HeapSampler.record()");
        }
    }

    @Test
    void nothingIsKeptOfAClosedRecording() {
        assertThat(ask(endpoint, "GET", "/debug/pprof/delta_heap").status()).isEqualTo(200);
        assertThat(endpoint.heldBytes()).as("for the next delta").isPositive();
        recording.close();
        assertThat(ask(endpoint, "GET", ROOT).status()).isEqualTo(410);
        assertThat(endpoint.heldBytes()).isZero();
    }

    /** A client without a token learns nothing, not even that. */
    @Test
    void aClosedRecordingIsGuardedAsAnOpenOne() {
        HeapSamplerEndpoint guarded =
                new HeapSamplerEndpoint(
                        EndpointOptions.builder()
                                .token(Contract.TOKEN)
                                .recording(recording)
                                .build());
        recording.close();
        assertThat(ask(guarded, "GET", ROOT).status()).isEqualTo(401);
    }

    @Test
    void aRecordingThatIsClosedWhileAClientWaitsEndsTheResponse() {
        EndpointOptions options =
                EndpointOptions.builder()
                        .allowUnauthenticated()
                        .second(Contract.SECOND)
                        .recording(recording)
                        .build();
        HeapSamplerEndpoint quick = new HeapSamplerEndpoint(options);
        EndpointRequest request =
                Asking.request("GET", "/debug/pprof/allocs?seconds=1")
                        .header("Host", "localhost")
                        .build();
        try (EndpointResponse response = quick.handle(request)) {
            assertThat(response.status()).isEqualTo(200);
            recording.close();
            assertThatIOException()
                    .isThrownBy(() -> response.writeTo(OutputStream.nullOutputStream()))
                    .withMessageContaining("The recording is closed");
        }
    }

    @Test
    void whatSteersTheProcessDoesNotGoWithARecording() {
        EndpointOptions options = EndpointOptions.builder().recording(recording).build();
        HeapSamplerServer.Builder builder =
                HeapSamplerServer.builder().port(0).options(options).steering(() -> {}, () -> {});
        assertThatIllegalStateException()
                .isThrownBy(builder::start)
                .withMessageContaining("Leave one of the two away.");
    }
}
