// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import org.junit.jupiter.api.Test;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.servlet.HandlerMapping;

/** Labels have few values, none of which a client chooses. */
class EndpointLabelsTest {

    private static Observation.Context context(String name, KeyValue... values) {
        Observation.Context context = new Observation.Context();
        context.setName(name);
        for (KeyValue value : values) {
            context.addLowCardinalityKeyValue(value);
        }
        return context;
    }

    @Test
    void aRequestHasMethodAndPattern() {
        assertThat(EndpointLabels.ofRequest("GET", "/goods/{id}").get("endpoint"))
                .isEqualTo("GET /goods/{id}");
        assertThat(EndpointLabels.ofRequest("GET", "/goods/{id}"))
                .isSameAs(EndpointLabels.ofRequest("GET", "/goods/{id}"));
        assertThat(EndpointLabels.ofRequest("GET", null)).isNull();
    }

    @Test
    void methodsThatClientsInventAreOne() {
        assertThat(EndpointLabels.ofRequest("BREW1", "/x").get("endpoint")).isEqualTo("OTHER /x");
        assertThat(EndpointLabels.ofRequest("BREW2", "/x").get("endpoint")).isEqualTo("OTHER /x");
    }

    @Test
    void aLongPatternIsCut() {
        assertThat(EndpointLabels.ofRequest("GET", "/" + "x".repeat(500)).get("endpoint"))
                .hasSize(256);
    }

    /** A task of the request in another thread, to which the observation was passed. */
    @Test
    void anObservationOfARequestHasThePatternOnceItIsKnown() {
        ServerRequestObservationContext request =
                new ServerRequestObservationContext(
                        new MockHttpServletRequest("POST", "/goods/7"),
                        new MockHttpServletResponse());
        request.setName("http.server.requests");
        assertThat(EndpointLabels.ofObservation(request)).isNull();
        request.setPathPattern("/goods/{id}");
        assertThat(EndpointLabels.ofObservation(request)).isEqualTo("POST /goods/{id}");
    }

    /** Spring takes the path of the client for the pattern of a handler for all paths. */
    @Test
    void anObservationOfAPathOfAClientHasNone() {
        MockHttpServletRequest path = new MockHttpServletRequest("GET", "/wp-admin");
        path.setAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE, new Object());
        path.setAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE, "/wp-admin");
        ServerRequestObservationContext request =
                new ServerRequestObservationContext(path, new MockHttpServletResponse());
        request.setPathPattern("/wp-admin");
        assertThat(EndpointLabels.ofObservation(request)).isNull();
    }

    @Test
    void schedulesAndListenersHaveTheirNames() {
        assertThat(
                        EndpointLabels.ofObservation(
                                context(
                                        "tasks.scheduled.execution",
                                        KeyValue.of("code.namespace", "com.acme.Jobs"),
                                        KeyValue.of("code.function", "tidy"))))
                .isEqualTo("scheduled com.acme.Jobs.tidy");
        assertThat(
                        EndpointLabels.ofObservation(
                                context(
                                        "spring.kafka.listener",
                                        KeyValue.of("spring.kafka.listener.id", "orders-0"))))
                .isEqualTo("listener orders-0");
        assertThat(EndpointLabels.ofObservation(context("http.client.requests"))).isNull();
    }
}
