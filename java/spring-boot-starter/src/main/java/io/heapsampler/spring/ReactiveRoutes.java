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
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Serves the endpoint from Spring WebFlux. A thread that may block makes the response and waits for
 * slow clients; the threads of the server only pass it on.
 */
final class ReactiveRoutes implements WebHandler {

    private static final boolean HAS_SECURITY =
            ClassUtils.isPresent(
                    "org.springframework.security.web.server.csrf.CsrfToken",
                    ReactiveRoutes.class.getClassLoader());

    private static final Scheduler BLOCKING = Schedulers.boundedElastic();

    private final HeapSamplerRoutes routes;

    ReactiveRoutes(HeapSamplerRoutes routes) {
        this.routes = routes;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange) {
        HttpMethod method = exchange.getRequest().getMethod();
        if (!routes.accepts(method.name())) {
            return Mono.error(
                    new MethodNotAllowedException(
                            method, List.of(HttpMethod.GET, HttpMethod.HEAD)));
        }
        EndpointRequest.Builder request = request(exchange.getRequest());
        Mono<EndpointRequest.Builder> complete =
                HAS_SECURITY && method.equals(HttpMethod.GET)
                        ? Security.withToken(exchange, request)
                        : Mono.just(request);
        if (method.equals(HttpMethod.POST)) {
            // Read before, and kept, if Spring Security looked for a token in it.
            complete = exchange.getFormData().map(form -> withForm(request, form));
        }
        return complete.publishOn(BLOCKING)
                .map(builder -> routes.endpoint().handle(builder.build()))
                .flatMap(response -> write(response, exchange));
    }

    private EndpointRequest.Builder request(ServerHttpRequest request) {
        String path = request.getPath().pathWithinApplication().value();
        EndpointRequest.Builder builder =
                EndpointRequest.builder(request.getMethod().name(), routes.local(path))
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

    private static Mono<Void> write(EndpointResponse answer, ServerWebExchange exchange) {
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
                                BLOCKING::schedule))
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
            boolean isPage = exchange.getRequest().getPath().value().endsWith("/");
            Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
            return !isPage || token == null
                    ? Mono.just(request)
                    : token.map(t -> request.pageHeader(t.getHeaderName(), t.getToken()))
                            .defaultIfEmpty(request);
        }
    }
}
