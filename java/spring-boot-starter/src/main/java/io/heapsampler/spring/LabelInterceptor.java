// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapLabels;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Labels the thread from the moment when Spring MVC has found the handler of a request until the
 * handler returns. A request that is forwarded has a scope within that of the first handler.
 */
final class LabelInterceptor implements AsyncHandlerInterceptor {

    private static final String SCOPES = LabelInterceptor.class.getName();

    private record Scopes(HeapLabels.@Nullable Scope scope, @Nullable Scopes outer) {}

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        HeapLabels labels =
                EndpointLabels.ofRequest(
                        request.getMethod(),
                        EndpointLabels.ofApplication(
                                request,
                                request.getAttribute(
                                        HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE)));
        request.setAttribute(
                SCOPES,
                new Scopes(
                        labels == null ? null : labels.open(),
                        (Scopes) request.getAttribute(SCOPES)));
        return true;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request,
            HttpServletResponse response,
            Object handler,
            @Nullable Exception failure) {
        close(request);
    }

    /** The thread goes back to the server; another one ends the request. */
    @Override
    public void afterConcurrentHandlingStarted(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        close(request);
    }

    private static void close(HttpServletRequest request) {
        Scopes scopes = (Scopes) request.getAttribute(SCOPES);
        if (scopes != null) {
            request.setAttribute(SCOPES, scopes.outer());
            if (scopes.scope() != null) {
                scopes.scope().close();
            }
        }
    }
}
