// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the starter.
 *
 * @param enabled Whether to sample the heap of this application.
 * @param interval Mean number of bytes that a thread allocates between two samples. Default: 512
 *     KiB.
 * @param maxOverhead Share of the processor time that sampling may take, from 0.0001 to 1. Default:
 *     0.01.
 * @param maxTracked Maximum number of objects tracked for liveness. Default: 65536, or 8192 under
 *     generational ZGC.
 * @param reportNearLimit File for a report that is written when the heap or the container comes
 *     near its limit. Default: no report.
 * @param nearLimitShare Share of the limit at which the report is written, above 0 and below 1.
 */
@ConfigurationProperties("heapsampler")
record HeapSamplerProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable DataSize interval,
        @Nullable Double maxOverhead,
        @Nullable Integer maxTracked,
        @Nullable Path reportNearLimit,
        @DefaultValue("0.9") double nearLimitShare,
        @DefaultValue Doctor doctor,
        @DefaultValue Labels labels,
        @DefaultValue Endpoint endpoint,
        @DefaultValue Push push) {

    /**
     * The GC doctor.
     *
     * @param enabled Whether the GC doctor watches the garbage collection and logs its findings.
     */
    record Doctor(@DefaultValue("false") boolean enabled) {}

    /**
     * Labels of samples.
     *
     * @param endpoint Whether samples have the endpoint as a label: the pattern of the request, the
     *     scheduled method or the message listener.
     */
    record Labels(@DefaultValue("true") boolean endpoint) {}

    /**
     * The actuator endpoint. Exposure and access are set as for all endpoints of Spring Boot.
     *
     * @param gc Whether requests may force garbage collections.
     * @param hosts Names under which clients know this server. Localhost and numeric addresses are
     *     known without this.
     */
    record Endpoint(@DefaultValue("false") boolean gc, @DefaultValue List<String> hosts) {}

    /**
     * Pushes of profiles.
     *
     * @param pyroscope Address of a Pyroscope server that receives profiles, such as
     *     http://pyroscope:4040. Default: none.
     * @param otlp Address of an OTLP receiver that receives profiles, such as
     *     http://collector:4318. Default: none.
     * @param serviceName Name of the service. Default: spring.application.name.
     * @param interval Time between two pushes.
     * @param labels Labels of all profiles.
     * @param headers Headers of each request.
     * @param bearerToken Token of each request.
     */
    record Push(
            @Nullable URI pyroscope,
            @Nullable URI otlp,
            @Nullable String serviceName,
            @DefaultValue("15s") Duration interval,
            @DefaultValue Map<String, String> labels,
            @DefaultValue Map<String, String> headers,
            @Nullable String bearerToken) {

        Push {
            labels = new LinkedHashMap<>(labels);
            headers = new LinkedHashMap<>(headers);
        }

        /** Headers and tokens are secrets. */
        @Override
        public String toString() {
            return "Push[pyroscope=" + pyroscope + ", otlp=" + otlp + "]";
        }
    }
}
