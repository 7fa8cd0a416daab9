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
import org.springframework.http.MediaType;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The endpoint leaves the threads of a WebFlux application alone. */
class ReactiveRoutesTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String PATH = "/actuator/heapsampler/debug/heapsampler/status.json";

    private final CountDownLatch isFree = new CountDownLatch(1);
    private final CountDownLatch four = new CountDownLatch(4);
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
        four.countDown();
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
    void aFloodOfRequestsUsesFewThreadsOfItsOwn() throws InterruptedException {
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), LONG);
        CountDownLatch refused = new CountDownLatch(84);
        CountDownLatch served = new CountDownLatch(16);
        for (int i = 0; i < 100; i++) {
            routes.handle(exchange())
                    .subscribe(
                            nothing -> {},
                            e -> {
                                assertThat(e).isInstanceOf(ResponseStatusException.class);
                                refused.countDown();
                            },
                            served::countDown);
        }
        assertThat(refused.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(four.await(1, TimeUnit.MINUTES)).as("four threads wait").isTrue();
        assertThat(threads).allMatch(name -> name.startsWith("heapsampler"));

        isFree.countDown();
        assertThat(served.await(1, TimeUnit.MINUTES)).as("the other 16").isTrue();
        assertThat(threads).hasSizeLessThanOrEqualTo(4);
        routes.close();
    }

    @Test
    void clientsThatDoNotSendTheirFormTakeNoPlace() {
        isFree.countDown();
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), LONG);
        for (int i = 0; i < 40; i++) {
            MockServerHttpRequest.BodyBuilder post =
                    MockServerHttpRequest.post(PATH).header("Host", "localhost");
            post.contentType(MediaType.APPLICATION_FORM_URLENCODED);
            routes.handle(MockServerWebExchange.from(post.body(Flux.never()))).subscribe();
        }
        MockServerWebExchange exchange = exchange();
        routes.handle(exchange).block(LONG);
        assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.OK);
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
    void aClientThatDoesNotReadLosesItsPlace() {
        isFree.countDown();
        ReactiveRoutes routes = new ReactiveRoutes(waiting(), Duration.ofMillis(50));
        for (int i = 0; i < 20; i++) {
            MockServerWebExchange exchange = exchange();
            exchange.getResponse().setWriteHandler(body -> Mono.never());
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> routes.handle(exchange).block(LONG))
                    .withMessageContaining("50ms")
                    .withCauseInstanceOf(TimeoutException.class);
        }
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
