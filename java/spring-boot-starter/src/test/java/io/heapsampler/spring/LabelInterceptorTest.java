// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.work.LabelledWork;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The labels of a thread of Spring MVC, as the interceptor leaves them. */
class LabelInterceptorTest {

    private final LabelInterceptor interceptor = new LabelInterceptor();
    private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    private Map<String, Long> labelsIn(Object handler) throws Exception {
        return LabelledWork.during(
                "endpoint",
                () -> {
                    interceptor.preHandle(request, response, handler);
                    LabelledWork.allocate(3);
                    interceptor.afterCompletion(request, response, handler, null);
                });
    }

    private void matches(String pattern, String path, Object handler) {
        request.setAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE, handler);
        request.setAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, pattern);
        request.setAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE, path);
    }

    private HandlerMethod method() throws Exception {
        return new HandlerMethod(this, LabelInterceptorTest.class.getDeclaredMethod("method"));
    }

    /** A handler for all paths has the path of the client as its pattern. */
    @Test
    void thePathOfAClientIsNoLabel() throws Exception {
        Object handler = new Object();
        matches("/wp-admin", "/wp-admin", handler);
        assertThat(labelsIn(handler)).doesNotContainKey("GET /wp-admin");
    }

    @Test
    void aPathWithALineBreakIsServed() throws Exception {
        Object handler = new Object();
        matches("/a\nb", "b", handler);
        assertThat(labelsIn(handler)).containsEntry("GET /a b", 3L);
    }

    @Test
    void aPatternOfTheApplicationIsALabel() throws Exception {
        Object handler = new Object();
        matches("/files/**", "a.txt", handler);
        assertThat(labelsIn(handler)).containsEntry("GET /files/**", 3L);
    }

    /** A pattern without variables is the path that the client sends. */
    @Test
    void aMethodHasItsPatternAsLabel() throws Exception {
        matches("/login", "/login", method());
        assertThat(labelsIn(method())).containsEntry("GET /login", 3L);
    }

    @Test
    void theThreadHasNoLabelAfterTheRequest() throws Exception {
        matches("/login", "/login", method());
        Map<String, Long> labels =
                LabelledWork.during(
                        "endpoint",
                        () -> {
                            interceptor.preHandle(request, response, method());
                            interceptor.afterConcurrentHandlingStarted(request, response, method());
                            LabelledWork.allocate(3);
                            interceptor.preHandle(request, response, method());
                            interceptor.afterCompletion(request, response, method(), null);
                            LabelledWork.allocate(3);
                        });
        assertThat(labels).doesNotContainKey("GET /login");
    }
}
