// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.http.EndpointRequest;
import io.heapsampler.http.EndpointResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Serves the endpoint from Spring WebFlux. A few threads of its own make the responses and wait for
 * slow clients; the threads of the server only pass them on, and those on which the application may
 * block stay free. Requests beyond {@link #MOST} get status 503.
 */
final class ReactiveRoutes implements WebHandler, AutoCloseable {

    private static final int THREADS = 4;

    /** Requests that are served or wait. */
    private static final int MOST = 16;

    /** A response for {@code seconds} takes up to 5 minutes. */
    private static final Duration WRITE_TIMEOUT = Duration.ofMinutes(6);

    private static final int IDLE_SECONDS = 60;

    private static final boolean HAS_SECURITY =
            ClassUtils.isPresent(
                    "org.springframework.security.web.server.csrf.CsrfToken",
                    ReactiveRoutes.class.getClassLoader());

    private final HeapSamplerRoutes routes;
    private final Duration writeTimeout;
    private final Semaphore places = new Semaphore(MOST);
    private final Scheduler blocking =
            Schedulers.newBoundedElastic(THREADS, MOST, "heapsampler", IDLE_SECONDS, true);

    ReactiveRoutes(HeapSamplerRoutes routes) {
        this(routes, WRITE_TIMEOUT);
    }

    ReactiveRoutes(HeapSamplerRoutes routes, Duration writeTimeout) {
        this.routes = routes;
        this.writeTimeout = writeTimeout;
    }

    @Override
    public void close() {
        blocking.dispose();
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange) {
        HttpMethod method = exchange.getRequest().getMethod();
        if (!routes.accepts(method.name())) {
            return Mono.error(
                    new MethodNotAllowedException(
                            method, List.of(HttpMethod.GET, HttpMethod.HEAD)));
        }
        // A client that does not send its form takes no place.
        return complete(exchange)
                .flatMap(request -> serve(request.build(), exchange))
                .onErrorMap(RejectedExecutionException.class, e -> busy());
    }

    private static ResponseStatusException busy() {
        return new ResponseStatusException(
                HttpStatus.SERVICE_UNAVAILABLE, "HeapSampler serves other requests. Try again.");
    }

    private Mono<Void> serve(EndpointRequest request, ServerWebExchange exchange) {
        if (!places.tryAcquire()) {
            return Mono.error(busy());
        }
        return answer(request)
                .flatMap(response -> write(response, exchange))
                .doFinally(signal -> places.release());
    }

    private Mono<EndpointRequest.Builder> complete(ServerWebExchange exchange) {
        HttpMethod method = exchange.getRequest().getMethod();
        EndpointRequest.Builder request = request(exchange.getRequest());
        if (method.equals(HttpMethod.POST)) {
            // Read before, and kept, if Spring Security looked for a token in it.
            return exchange.getFormData().map(form -> withForm(request, form));
        }
        return HAS_SECURITY && routes.needsToken(method.name(), path(exchange.getRequest()))
                ? Security.withToken(exchange, request)
                : Mono.just(request);
    }

    private Mono<EndpointResponse> answer(EndpointRequest request) {
        return Mono.fromCallable(() -> routes.endpoint().handle(request)).subscribeOn(blocking);
    }

    private static String path(ServerHttpRequest request) {
        return request.getPath().pathWithinApplication().value();
    }

    private EndpointRequest.Builder request(ServerHttpRequest request) {
        EndpointRequest.Builder builder =
                EndpointRequest.builder(request.getMethod().name(), routes.local(path(request)))
                        .query(request.getURI().getRawQuery());
        request.getHeaders()
                .forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
        InetSocketAddress client = request.getRemoteAddress();
        return client == null ? builder : builder.remoteAddress(client.getAddress());
    }

    private static EndpointRequest.Builder withForm(
            EndpointRequest.Builder request, MultiValueMap<String, String> form) {
        UriComponentsBuilder pairs = UriComponentsBuilder.newInstance();
        form.forEach(
                (name, values) ->
                        values.forEach(value -> pairs.queryParam(encoded(name), encoded(value))));
        String text = pairs.build(true).getQuery();
        byte[] bytes = (text == null ? "" : text).getBytes(StandardCharsets.US_ASCII);
        return request.body(new ByteArrayInputStream(bytes));
    }

    private static @Nullable String encoded(@Nullable String text) {
        return text == null ? null : UriUtils.encode(text, StandardCharsets.UTF_8);
    }

    private Mono<Void> write(EndpointResponse answer, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        answer.headers().forEach(response.getHeaders()::set);
        if (exchange.getRequest().getMethod().equals(HttpMethod.HEAD)) {
            answer.close();
            return response.setComplete();
        }
        answer.contentLength().ifPresent(response.getHeaders()::setContentLength);
        return response.writeWith(
                        DataBufferUtils.outputStreamPublisher(
                                out -> writeTo(answer, out),
                                response.bufferFactory(),
                                blocking::schedule))
                .timeout(writeTimeout)
                .doFinally(signal -> answer.close());
    }

    private static void writeTo(EndpointResponse answer, OutputStream out) {
        try {
            answer.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Only loaded where Spring Security is on the class path. */
    private static final class Security {

        /** The page sends the token, with which Spring Security lets its changes pass. */
        static Mono<EndpointRequest.Builder> withToken(
                ServerWebExchange exchange, EndpointRequest.Builder request) {
            Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
            return token == null
                    ? Mono.just(request)
                    : token.map(t -> request.pageHeader(t.getHeaderName(), t.getToken()))
                            .defaultIfEmpty(request);
        }
    }
}
