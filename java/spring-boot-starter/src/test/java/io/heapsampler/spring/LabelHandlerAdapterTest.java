// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.work.LabelledWork;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.MediaType;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Which handlers of WebFlux have a label without the context propagation of Reactor. */
class LabelHandlerAdapterTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    /** The thread of a server that reads bodies. */
    private final Scheduler reader = Schedulers.newSingle("reader");

    @RestController
    static class Methods {

        @GetMapping("/method/{id}")
        String method() {
            LabelledWork.allocate(3);
            return "";
        }

        @PostMapping("/body/{id}")
        String body(@RequestBody String body) {
            LabelledWork.allocate(3);
            return body;
        }

        @PostMapping("/mono/{id}")
        Mono<String> mono(@RequestBody Mono<String> body) {
            return body.doOnNext(text -> LabelledWork.allocate(3));
        }

        @GetMapping("/blocking")
        String blocking() {
            LabelledWork.passOldSamplePoint();
            LabelledWork.allocate(3);
            return "";
        }
    }

    @Configuration
    @EnableWebFlux
    static class Application implements WebFluxConfigurer {

        @Bean
        Methods methods() {
            return new Methods();
        }

        @Bean
        LabelHandlerAdapter labels(ObjectProvider<HandlerAdapter> all) {
            return new LabelHandlerAdapter(all);
        }

        @Bean
        RouterFunction<ServerResponse> functions() {
            return RouterFunctions.route()
                    .GET(
                            "/function/{id}",
                            request -> {
                                LabelledWork.allocate(3);
                                return ServerResponse.ok().build();
                            })
                    .POST(
                            "/function/{id}",
                            request ->
                                    request.bodyToMono(String.class)
                                            .doOnNext(text -> LabelledWork.allocate(3))
                                            .then(ServerResponse.ok().build()))
                    .build();
        }

        @Override
        public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
            configurer.setExecutor(new SimpleAsyncTaskExecutor("blocking-"));
            configurer.setControllerMethodPredicate(
                    method -> method.getMethod().getName().equals("blocking"));
        }
    }

    @AfterEach
    void stop() {
        reader.dispose();
    }

    private Map<String, Long> labelsOf(MockServerHttpRequest request) throws Exception {
        try (var context = new AnnotationConfigApplicationContext(Application.class)) {
            DispatcherHandler server = new DispatcherHandler(context);
            return LabelledWork.during(
                    "endpoint",
                    () -> {
                        inReader(LabelledWork::passOldSamplePoint);
                        server.handle(MockServerWebExchange.from(request)).block(LONG);
                        // A label that stays would be on these.
                        LabelledWork.allocate(5);
                        inReader(() -> LabelledWork.allocate(5));
                    });
        }
    }

    private void inReader(Runnable code) {
        Mono.fromRunnable(code).subscribeOn(reader).block(LONG);
    }

    private MockServerHttpRequest post(String path) {
        DataBuffer buffer = DefaultDataBufferFactory.sharedInstance.wrap("text".getBytes());
        return MockServerHttpRequest.post(path)
                .contentType(MediaType.TEXT_PLAIN)
                .body(Flux.just(buffer).publishOn(reader));
    }

    @Test
    void aMethodHasItsPattern() throws Exception {
        assertThat(labelsOf(MockServerHttpRequest.get("/method/1").build()))
                .containsOnly(Map.entry("GET /method/{id}", 3L), Map.entry("(none)", 10L));
    }

    @Test
    void aFunctionHasItsPattern() throws Exception {
        assertThat(labelsOf(MockServerHttpRequest.get("/function/1").build()))
                .containsOnly(Map.entry("GET /function/{id}", 3L), Map.entry("(none)", 10L));
    }

    @Test
    void aMethodWithABodyHasItsPatternWhereTheBodyArrives() throws Exception {
        assertThat(labelsOf(post("/body/1")))
                .containsOnly(Map.entry("POST /body/{id}", 3L), Map.entry("(none)", 10L));
        assertThat(labelsOf(post("/mono/1")))
                .containsOnly(Map.entry("POST /mono/{id}", 3L), Map.entry("(none)", 10L));
    }

    /** As documented: these need the context propagation of Reactor. */
    @Test
    void blockingMethodsAndBodiesOfFunctionsHaveNone() throws Exception {
        assertThat(labelsOf(MockServerHttpRequest.get("/blocking").build()))
                .containsOnly(Map.entry("(none)", 13L));
        assertThat(labelsOf(post("/function/1"))).containsOnly(Map.entry("(none)", 13L));
    }

    @Test
    void requestsToTheActuatorHaveNone() {
        String name = ".actuate.endpoint.web.reactive.AbstractWebFluxEndpointHandlerMapping$X";
        assertThat(LabelHandlerAdapter.isOfActuator("org.springframework.boot" + name)).isTrue();
        assertThat(LabelHandlerAdapter.isOfActuator("org.springframework.boot.webflux" + name))
                .isTrue();
        assertThat(LabelHandlerAdapter.isOfActuator("com.acme.actuate.Controller")).isFalse();
    }
}
