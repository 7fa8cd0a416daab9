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

/**
 * The endpoint {@code heapsampler}, over HTTP and JMX: the state of the sampler and the largest
 * sites. Over HTTP, {@link HeapSamplerRoutesConfiguration} adds all addresses below it.
 */
@Endpoint(id = HeapSamplerActuatorEndpoint.ID, defaultAccess = Access.READ_ONLY)
class HeapSamplerActuatorEndpoint {

    static final String ID = "heapsampler";

    private static final int SITES = 10;
    private static final int FRAMES = 10;

    /** Returns the state and the sites that hold most live bytes. Forces no collection. */
    @ReadOperation
    Map<String, Object> read() {
        SamplerStatus status = HeapSampler.status();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("state", status.state().name());
        answer.put("interval", status.intervalInForce());
        answer.put("holders", status.holders());
        answer.put("samples", status.samples());
        answer.put("live", snapshot.topByLive(SITES).stream().map(this::site).toList());
        return answer;
    }

    private Map<String, Object> site(HeapSite site) {
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
