// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.Unavailability;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint {@code heapsampler}. JMX has the state of the sampler, the largest sites and the
 * changes. The actuator does not check the {@code Host} and {@code Origin} of a request, so over
 * HTTP it returns the state only; {@link HeapSamplerRoutesConfiguration} adds all addresses below
 * it, which have these checks.
 */
@Endpoint(id = HeapSamplerActuatorEndpoint.ID, defaultAccess = Access.READ_ONLY)
class HeapSamplerActuatorEndpoint {

    static final String ID = "heapsampler";

    private static final int SITES = 10;
    private static final int FRAMES = 10;

    /** Returns the state and the sites that hold most live bytes. Forces no collection. */
    @ReadOperation
    Map<String, Object> read() {
        Map<String, Object> answer = state();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        answer.put(
                "live",
                snapshot.topByLive(SITES).stream().map(HeapSamplerActuatorEndpoint::site).toList());
        return answer;
    }

    private static Map<String, Object> state() {
        SamplerStatus status = HeapSampler.status();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("state", status.state().name());
        answer.put("interval", status.intervalInForce());
        answer.put("holders", status.holders());
        answer.put("samples", status.samples());
        return answer;
    }

    private static Map<String, Object> site(HeapSite site) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("class", site.className());
        answer.put("bytes", Math.round(site.live().bytes().value()));
        answer.put("standardError", Math.round(site.live().bytes().standardError()));
        answer.put("samples", site.live().bytes().samples());
        answer.put("stack", stack(site));
        return answer;
    }

    private static List<String> stack(HeapSite site) {
        return site.stack().stream()
                .filter(frame -> !frame.isImplementation())
                .limit(FRAMES)
                .map(Object::toString)
                .toList();
    }

    /** Over HTTP: no stack, no class, no snapshot, and no change. */
    @EndpointWebExtension(endpoint = HeapSamplerActuatorEndpoint.class)
    static class Web {

        /** Returns the state. */
        @ReadOperation
        Map<String, Object> read() {
            return state();
        }
    }

    /** Over JMX: changes. */
    @EndpointJmxExtension(endpoint = HeapSamplerActuatorEndpoint.class)
    static class Jmx {

        /**
         * Changes the sampler.
         *
         * @param action start, stop or reset
         * @return the state afterwards
         */
        @WriteOperation
        Map<String, Object> change(String action) {
            switch (action) {
                case "start" -> start();
                case "stop" -> HeapSampler.stop();
                case "reset" -> HeapSampler.reset();
                default ->
                        throw new InvalidEndpointRequestException(
                                "The action must be start, stop or reset.",
                                "Invalid action: start, stop and reset are valid");
            }
            return Map.of("state", HeapSampler.status().state().name());
        }

        private static void start() {
            Unavailability reason = HeapSampler.tryStart();
            if (reason != null) {
                throw reason.exception();
            }
        }
    }
}
