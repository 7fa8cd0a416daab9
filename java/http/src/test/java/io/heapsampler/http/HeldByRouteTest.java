// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.http.Asking.Answer;
import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.SearchRunningException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for holders over HTTP. */
class HeldByRouteTest extends EndpointCase {

    private static final String HELD = PAGE + "heldby";

    /** Live for good: {@link FakeSource} fills it. */
    private static final String KEPT = "static field com.acme.Kept.BYTES";

    private final HeapSamplerEndpoint endpoint =
            endpoint(EndpointOptions.builder().gcSpacing(Duration.ZERO));

    @Test
    void theAnswerIsJson() {
        Answer answer = post(endpoint, HELD, "");

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.headers()).containsEntry("Content-Type", "application/json");
        assertThat(answer.text())
                .startsWith("{\"schema\":\"urn:heapsampler:heldby:1\"")
                .contains("\"root\":\"STATIC_FIELD\",\"text\":\"" + KEPT);
    }

    @Test
    void textHasAsManyLinesAsRequested() {
        Answer answer = post(endpoint, HELD + "?format=text", "class=byte[]");

        assertThat(answer.headers()).containsEntry("Content-Type", "text/plain; charset=utf-8");
        assertThat(answer.text()).contains(KEPT).endsWith("\n");
        assertThat(answer.text().lines()).hasSizeLessThanOrEqualTo(60);
        assertThat(post(endpoint, HELD, "format=text&lines=2").text().lines()).hasSize(2);
    }

    @Test
    void profileHasHoldersAsStacks() throws Exception {
        Answer answer = post(endpoint, HELD, "format=pprof");

        assertThat(answer.headers())
                .containsEntry("Content-Type", "application/octet-stream")
                .containsEntry("Content-Disposition", "attachment; filename=\"heldby.pb.gz\"");
        String profile = new String(Gzip.read(answer.body()), StandardCharsets.UTF_8);
        assertThat(profile).contains("held_space", KEPT);
        assertThat(endpoint.heldBytes()).isZero();
    }

    @Test
    void parametersBecomeOptions() {
        String form = "top=3&maxSamples=7&maxPause=50&maxTime=3&maxMemory=123456789";
        assertThat(post(endpoint, HELD, form).status()).isEqualTo(200);
        assertThat(post(endpoint, HELD, "class=byte[]").status()).isEqualTo(200);
        assertThat(post(endpoint, HELD, "maxSamples=5&maxPause=1000").status()).isEqualTo(200);

        assertThat(source.calls.get(0))
                .contains("3 ")
                .endsWith(
                        "maxSamples=7, maxPause=PT0.05S, maxTime=PT3S, maxMemory=123456789,"
                                + " waitsForTurn=false");
        assertThat(source.calls.get(1))
                .contains("byte[]")
                .endsWith(
                        "maxSamples=1000, maxPause=PT0.01S, maxTime=PT30S, maxMemory=1073741824,"
                                + " waitsForTurn=false");
        assertThat(source.calls.get(2)).contains("maxPause=PT1S,");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "top=0 | invalid value for \"top\" - must be from 1 to 100000",
                "top=many | invalid value for \"top\" - must be from 1 to 100000",
                "maxSamples=100001 | invalid value for \"maxSamples\" - must be from 1 to 100000",
                "maxPause=-1 | invalid value for \"maxPause\" - must be from 1 to 1000",
                "maxPause=1001 | invalid value for \"maxPause\" - must be from 1 to 1000",
                "maxTime=301 | invalid value for \"maxTime\" - must be from 1 to 300",
                "maxMemory=-1 | invalid value for \"maxMemory\" - must be 0 or more bytes",
                "format=text&lines=0 | invalid value for \"lines\" - must be from 1 to 10000",
                "format=xml | invalid value for \"format\" - must be json, text or pprof",
                "class=int | invalid value for \"class\" - must be the Java name of a class, such"
                        + " as byte[] or java.util.HashMap$Node",
                "top=1&class=byte[] | \"top\" and \"class\" params are incompatible"
            })
    void wrongParameterIsRefusedBeforeASearch(String form, String message) {
        Answer answer = post(endpoint, HELD, form);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).isEqualTo(message + "\n");
        assertThat(source.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "PUT"})
    void onlyPostSearches(String method) {
        Answer answer = ask(endpoint, method, HELD + "?top=1", "Origin: http://localhost");

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.headers()).containsEntry("Allow", "POST");
        assertThat(answer.text()).isEqualTo("This address answers to POST only.\n");
        assertThat(source.calls).isEmpty();
    }

    @Test
    void oneSearchOrCollectionAtATime() throws Exception {
        source.gate = new CountDownLatch(1);
        Future<Answer> first = others.submit(() -> post(endpoint, HELD, "maxSamples=5"));
        awaitCalls(1);

        Answer second = post(endpoint, HELD, "");
        Answer collection = ask(endpoint, "GET", HEAP + "?gc=1");
        assertThat(second.status()).isEqualTo(429);
        assertThat(second.headers()).containsEntry("Retry-After", "1");
        assertThat(collection.status()).isEqualTo(429);
        source.gate.countDown();
        assertThat(first.get(120, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(source.calls).hasSize(1);
    }

    @Test
    void searchesKeepTheDistanceOfCollections() {
        HeapSamplerEndpoint spaced =
                endpoint(EndpointOptions.builder().gcSpacing(Duration.ofHours(1)));

        assertThat(post(spaced, HELD, "maxSamples=5").status()).isEqualTo(200);
        Answer second = post(spaced, HELD, "maxSamples=5");
        assertThat(second.status()).isEqualTo(429);
        assertThat(second.text())
                .isEqualTo("A collection was forced a moment ago. Try again later.\n");
        assertThat(source.calls).hasSize(1);
    }

    @Test
    void theRightToForceCollectionsIsNeededAndNoOther() {
        HeapSamplerEndpoint without = endpoint(EndpointOptions.builder().allowGc(false));
        Answer refused = post(without, HELD, "");

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text())
                .isEqualTo(
                        "Forced collections are switched off here, and a search for holders begins"
                                + " with one.\n");
        assertThat(source.calls).isEmpty();
        HeapSamplerEndpoint readOnly = endpoint(EndpointOptions.builder().readOnly());
        assertThat(post(readOnly, HELD, "maxSamples=5").status()).isEqualTo(200);
    }

    @Test
    void pageOfAnotherServerCannotSearch() {
        Answer answer = ask(endpoint, "POST", HELD, "Origin: http://evil.example");

        assertThat(answer.status()).isEqualTo(403);
        assertThat(source.calls).isEmpty();
    }

    @Test
    void withoutNamesOfThreadsThereAreNoHolders() {
        HeapSamplerEndpoint discreet = endpoint(EndpointOptions.builder().threadNames(name -> ""));
        Answer answer = post(discreet, HELD, "");

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text())
                .isEqualTo("Holders have the names of threads, which are not shown here.\n");
        assertThat(source.calls).isEmpty();
    }

    @Test
    void failureHasAStatusOfItsOwnAndFreesThePlace() {
        source.failure = new SearchRunningException("waitsForTurn(true)");
        assertThat(post(endpoint, HELD, "").status()).isEqualTo(429);
        source.failure = new ClosedRecordingException();
        assertThat(post(endpoint, HELD, "").status()).isEqualTo(410);
        source.failure = new IllegalStateException("The sampler tracks no objects.");
        Answer untracked = post(endpoint, HELD, "");
        assertThat(untracked.status()).isEqualTo(409);
        assertThat(untracked.text()).isEqualTo("The sampler tracks no objects.\n");
        source.failure = new IllegalArgumentException("broken on purpose");
        assertThat(post(endpoint, HELD, "").status()).isEqualTo(500);
        source.failure = null;
        assertThat(post(endpoint, HELD, "maxSamples=5").status()).isEqualTo(200);
        source.wasStarted = false;
        assertThat(post(endpoint, HELD, "").status()).isEqualTo(503);
    }

    @Test
    void thePageHasAFormForIt() {
        assertThat(ask(endpoint, "GET", PAGE).text())
                .contains("<form id=\"heldby\" action=\"heldby\" method=\"post\">");
    }
}
