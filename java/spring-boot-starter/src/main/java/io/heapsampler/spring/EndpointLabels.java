// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapLabels;
import io.heapsampler.internal.shared.FittingLabels;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * The label of what an application does for a request, a schedule or a message. Its values are
 * patterns and names of the application's code, so there are few.
 */
final class EndpointLabels {

    static final String KEY = "endpoint";

    /** Spring MVC may be absent, so its constants cannot be used. */
    private static final String MVC = "org.springframework.web.servlet.HandlerMapping";

    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private static final boolean HAS_WEB =
            ClassUtils.isPresent(
                    "org.springframework.http.server.observation.ServerRequestObservationContext",
                    EndpointLabels.class.getClassLoader());

    /** More patterns than an application has; further ones get their labels anew each time. */
    private static final int MOST = 2_000;

    /** Holds the labels, so that the sampler need not learn them again for each request. */
    private static final Map<String, HeapLabels> KNOWN = new ConcurrentHashMap<>();

    private EndpointLabels() {}

    /**
     * Returns the pattern of a request to Spring MVC. For a handler of all paths, such as that of
     * static files at {@code /*}, Spring sets the path of the client in place of a pattern; then
     * there is none. A handler other than a method also has none if its pattern is a plain path,
     * because that looks the same.
     *
     * @param pattern as Spring has set it
     */
    static @Nullable Object ofApplication(HttpServletRequest request, @Nullable Object pattern) {
        boolean isOfClient =
                pattern != null
                        && pattern.equals(request.getAttribute(MVC + ".pathWithinHandlerMapping"))
                        && !(request.getAttribute(MVC + ".bestMatchingHandler")
                                instanceof HandlerMethod);
        return isOfClient ? null : pattern;
    }

    /**
     * Returns the labels of a request; null if no pattern of the application matches it. Cuts or
     * replaces what a label cannot have.
     */
    static @Nullable HeapLabels ofRequest(String method, @Nullable Object pattern) {
        if (pattern == null) {
            return null;
        }
        String value = value(method, pattern);
        HeapLabels known = KNOWN.get(value);
        if (known != null) {
            return known;
        }
        HeapLabels labels = FittingLabels.and(null, KEY, value);
        if (labels != null && KNOWN.size() < MOST) {
            KNOWN.put(value, labels);
        }
        return labels;
    }

    /** A client chooses the method, so unknown ones are one. */
    private static String value(String method, Object pattern) {
        return (METHODS.contains(method) ? method : "OTHER") + " " + pattern;
    }

    /**
     * Returns the value for an observation; null if it is none of a request, schedule or message.
     */
    static @Nullable String ofObservation(Observation.Context context) {
        String name = context.getName();
        if ("tasks.scheduled.execution".equals(name)) {
            return "scheduled "
                    + text(context.getLowCardinalityKeyValue("code.namespace"))
                    + "."
                    + text(context.getLowCardinalityKeyValue("code.function"));
        }
        if (name != null && name.startsWith("spring.") && name.endsWith(".listener")) {
            return "listener " + text(context.getLowCardinalityKeyValue(name + ".id"));
        }
        return HAS_WEB ? Web.value(context) : null;
    }

    private static String text(@Nullable KeyValue value) {
        return value == null ? "(unknown)" : value.getValue();
    }

    /** Only loaded where Spring's web module is on the class path. */
    private static final class Web {

        /** The pattern is known once a handler has been found, which other threads see. */
        static @Nullable String value(Observation.Context context) {
            if (context instanceof ServerRequestObservationContext servlet) {
                var request = servlet.getCarrier();
                Object pattern =
                        request == null ? null : ofApplication(request, servlet.getPathPattern());
                return pattern == null ? null : EndpointLabels.value(request.getMethod(), pattern);
            }
            if (context
                    instanceof
                    org.springframework.http.server.reactive.observation
                                    .ServerRequestObservationContext
                            reactive) {
                String pattern = reactive.getPathPattern();
                var request = reactive.getCarrier();
                return pattern == null || request == null
                        ? null
                        : EndpointLabels.value(request.getMethod().name(), pattern);
            }
            return null;
        }
    }
}
