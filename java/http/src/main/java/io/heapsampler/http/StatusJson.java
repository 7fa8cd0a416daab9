// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.SamplerStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/** The status as JSON. */
final class StatusJson {

    private StatusJson() {}

    /** Where the library was loaded from is left out, for it tells about the machine. */
    static Map<String, Object> of(SamplerStatus status, boolean allowsGc, EndpointOptions options) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("state", status.state().name());
        all.put("holders", status.holders());
        all.put("sampling", status.isSampling());
        all.put("interval", status.interval());
        all.put("strategy", status.strategy().toString());
        all.put("intervalInForce", status.intervalInForce());
        all.put("maxOverhead", status.maxOverhead());
        all.put("overhead", status.overhead());
        all.put("recordings", status.recordings());
        all.put("samples", status.samples());
        all.put("meanSampleCostNanos", status.meanSampleCost().toNanos());
        all.put("maxSampleCostNanos", status.maxSampleCost().toNanos());
        all.put("tracked", status.tracked());
        all.put("trackedBudget", status.trackedBudget());
        all.put("thinning", status.thinning());
        all.put("memoryUsed", status.memoryUsed());
        all.put("memoryPeak", status.memoryPeak());
        all.put("collections", status.collections());
        all.put("sweeps", status.sweeps());
        all.put("maxDepth", status.maxDepth());
        Map<String, Long> dropped = new LinkedHashMap<>();
        status.dropped().forEach((cause, count) -> dropped.put(cause.name(), count));
        all.put("dropped", dropped);
        all.put("collector", status.collector().name());
        all.put("vm", status.vmName() + " " + status.vmVersion());
        String library = status.libraryVersion();
        all.put("library", library == null ? "not loaded" : library);
        all.put("doctor", DoctorRoutes.isAtWork());
        all.put("gcAllowed", allowsGc);
        all.put("minInterval", options.minInterval());
        all.put("readOnly", options.isReadOnly());
        all.put("recording", options.recording() != null);
        return all;
    }
}
