// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerEndpoint;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The endpoint leaves the threads of a WebFlux application alone. */
class ReactiveRoutesTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String PATH = "/actuator/heapsampler/debug/heapsampler/status.json";

    private final CountDownLatch isFree = new CountDownLatch(1);
    private final Set<String> threads = ConcurrentHashMap.newKeySet();

    /** An endpoint that waits with each request. */
    private HeapSamplerRoutes waiting() {
        EndpointOptions options =
                EndpointOptions.builder().authenticator(request -> waits()).build();
        return new HeapSamplerRoutes(
                new HeapSamplerEndpoint(options), "/actuator/heapsampler", false);
    }

    private boolean waits() {
        threads.add(Thread.currentThread().getName());
        try {
            return isFree.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static MockServerWebExchange exchange() {
        return MockServerWebExchange.from(
                MockServerHttpRequest.get(PATH).header("Host", "localhost"));
    }

    @Test
    void aFloodOfRequestsUsesFewThreadsOfItsOwn() {
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), LONG);
        Mono<Long> refused =
                Flux.range(0, 100)
                        .flatMap(
                                i ->
                                        routes.handle(exchange())
                                                .thenReturn(0)
                                                .onErrorResume(
                                                        ResponseStatusException.class,
                                                        e -> Mono.just(e.getStatusCode().value())),
                                100)
                        .filter(status -> status == HttpStatus.SERVICE_UNAVAILABLE.value())
                        .take(84)
                        .count();
        // The other 16 wait.
        assertThat(refused.block(LONG)).isEqualTo(84);

        // Threads for which the application waits.
        assertThat(
                        Mono.fromCallable(() -> 7)
                                .subscribeOn(Schedulers.boundedElastic())
                                .block(Duration.ofSeconds(20)))
                .isEqualTo(7);
        assertThat(threads)
                .hasSizeLessThanOrEqualTo(4)
                .allMatch(name -> name.startsWith("heapsampler"));
        isFree.countDown();
        routes.close();
    }

    @Test
    void aRequestIsServedAfterAFlood() {
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), LONG);
        isFree.countDown();
        for (int i = 0; i < 40; i++) {
            MockServerWebExchange exchange = exchange();
            routes.handle(exchange).block(LONG);
            assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.OK);
        }
        routes.close();
    }

    @Test
    void aClientThatDoesNotReadLosesItsThread() {
        isFree.countDown();
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), Duration.ofMillis(50));
        MockServerWebExchange exchange = exchange();
        exchange.getResponse().setWriteHandler(body -> Mono.never());
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> routes.handle(exchange).block(LONG))
                .withMessageContaining("50ms")
                .withCauseInstanceOf(TimeoutException.class);
        routes.close();
    }

    @Test
    void closingEndsTheThreads() {
        isFree.countDown();
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), LONG);
        routes.close();
        assertThatExceptionOfType(ResponseStatusException.class)
                .isThrownBy(() -> routes.handle(exchange()).block(LONG))
                .matches(e -> e.getStatusCode().value() == 503);
    }
}
