// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapLabels;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Labels the thread while Spring WebFlux calls the handler of a request. Work that the handler
 * leaves to other threads is labelled by {@link EndpointLabels#ofObservation}, if the application
 * has switched on the automatic context propagation of Reactor.
 */
final class LabelHandlerAdapter implements HandlerAdapter, Ordered {

    private static final String ACTUATOR = "org.springframework.boot.actuate.";

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
                        ? !method.getBeanType().getName().startsWith(ACTUATOR)
                        : handler instanceof HandlerFunction;
        return isOfApplication && other(handler) != null;
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
        Mono<HandlerResult> result = other.handle(exchange, handler);
        HeapLabels labels =
                EndpointLabels.ofRequest(
                        exchange.getRequest().getMethod().name(),
                        exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        if (labels == null) {
            return result;
        }
        // Spring calls the handler when the result is subscribed to.
        Publisher<HandlerResult> labelled =
                subscriber -> labels.run(() -> result.subscribe(subscriber));
        return Mono.from(labelled);
    }
}
