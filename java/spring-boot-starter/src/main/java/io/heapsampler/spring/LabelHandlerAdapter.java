// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapLabels;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Labels the thread while Spring WebFlux calls the handler of a request: when the request is
 * dispatched, or when its body has arrived for a method with {@code @RequestBody}. These have
 * labels by {@link EndpointLabels#ofObservation} alone, if the application has switched on the
 * automatic context propagation of Reactor: work that a handler leaves to other threads, methods
 * that run on the executor for blocking handlers, methods with form data or parts, and operators of
 * functional endpoints behind the body.
 */
final class LabelHandlerAdapter implements HandlerAdapter, Ordered {

    private final ObjectProvider<HandlerAdapter> all;
    private volatile @Nullable List<HandlerAdapter> others;

    LabelHandlerAdapter(ObjectProvider<HandlerAdapter> all) {
        this.all = all;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supports(Object handler) {
        boolean isOfApplication =
                handler instanceof HandlerMethod method
                        ? !isOfActuator(method.getBeanType().getName())
                        : handler instanceof HandlerFunction;
        return isOfApplication && other(handler) != null;
    }

    /** Its package is one of Spring Boot's own, which version 4 has moved to another module. */
    static boolean isOfActuator(String className) {
        return className.startsWith("org.springframework.boot.") && className.contains(".actuate.");
    }

    private @Nullable HandlerAdapter other(Object handler) {
        List<HandlerAdapter> known = others;
        if (known == null) {
            known = all.orderedStream().filter(adapter -> adapter != this).toList();
            others = known;
        }
        for (HandlerAdapter adapter : known) {
            if (adapter.supports(handler)) {
                return adapter;
            }
        }
        return null;
    }

    @Override
    public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
        HandlerAdapter other = other(handler);
        if (other == null) {
            return Mono.error(new IllegalStateException("No adapter for " + handler));
        }
        HeapLabels labels =
                EndpointLabels.ofRequest(
                        exchange.getRequest().getMethod().name(),
                        exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        if (labels == null) {
            return other.handle(exchange, handler);
        }
        // A functional endpoint runs in handle, and a method when the result is subscribed to.
        Mono<HandlerResult> result =
                Mono.defer(() -> other.handle(withLabelledBody(exchange, labels), handler));
        Publisher<HandlerResult> labelled =
                subscriber -> labels.run(() -> result.subscribe(subscriber));
        return Mono.from(labelled);
    }

    private static ServerWebExchange withLabelledBody(
            ServerWebExchange exchange, HeapLabels labels) {
        ServerHttpRequest request =
                new ServerHttpRequestDecorator(exchange.getRequest()) {
                    @Override
                    public Flux<DataBuffer> getBody() {
                        Flux<DataBuffer> body = super.getBody();
                        return Flux.from(
                                Operators.<DataBuffer, DataBuffer>liftPublisher(
                                                (source, next) -> new Labelled<>(next, labels))
                                        .apply(body));
                    }
                };
        return exchange.mutate().request(request).build();
    }

    /** Labels the threads that pass a body on. */
    private record Labelled<T>(CoreSubscriber<? super T> next, HeapLabels labels)
            implements CoreSubscriber<T> {

        @Override
        public Context currentContext() {
            return next.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            next.onSubscribe(subscription);
        }

        @Override
        public void onNext(T part) {
            labels.run(() -> next.onNext(part));
        }

        @Override
        public void onError(Throwable failure) {
            labels.run(() -> next.onError(failure));
        }

        @Override
        public void onComplete() {
            labels.run(next::onComplete);
        }
    }
}
