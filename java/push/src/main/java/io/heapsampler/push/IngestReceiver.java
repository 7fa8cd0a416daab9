// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The older API of Pyroscope: a form with a profile, and its description in the query. The server
 * assumes that every figure of such a profile happened in its time.
 */
final class IngestReceiver extends Receiver {

    /** Without it, older servers would treat allocations as cumulative. */
    private static final String SAMPLE_TYPES =
            """
            {"alloc_objects":{"units":"objects","aggregation":"sum","display-name":"alloc_objects"},\
            "alloc_space":{"units":"bytes","aggregation":"sum","display-name":"alloc_space"},\
            "inuse_objects":{"units":"objects","aggregation":"average","display-name":"inuse_objects"},\
            "inuse_space":{"units":"bytes","aggregation":"average","display-name":"inuse_space"}}\
            """;

    private final String name;

    IngestReceiver(URI address, Map<String, String> labels, PushOptions options) {
        super(address, options);
        this.name = name(options.serviceName(), labels);
    }

    private static String name(String service, Map<String, String> labels) {
        if (!service.matches("[a-zA-Z0-9_./-]+")) {
            throw new IllegalArgumentException(
                    ("with /ingest a service name has letters, digits and any of _ . / - only, but"
                                    + " this is \"%s\". Rename it, or use Api.PUSH_V1.")
                            .formatted(service));
        }
        labels.forEach(IngestReceiver::requirePlain);
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(",", service + "{", "}"));
    }

    private static void requirePlain(String label, String value) {
        if (value.indexOf(',') >= 0 || value.indexOf('}') >= 0 || !value.equals(value.strip())) {
            throw new IllegalArgumentException(
                    ("with /ingest the value of a label cannot have commas, closing braces, or"
                                    + " spaces at its ends, but %s is \"%s\". Change it, or use"
                                    + " Api.PUSH_V1.")
                            .formatted(label, value));
        }
    }

    @Override
    String labelName(String key) {
        return SampleLabels.pyroscopeName(key);
    }

    @Override
    HttpRequest encode(Deltas.Delta delta) throws IOException {
        String boundary = "heapsampler-" + UUID.randomUUID();
        Body body = newBody();
        part(body, boundary, "profile", "profile.pprof");
        writePprof(delta, body);
        part(body, boundary, "sample_type_config", "sample_type_config.json");
        body.write(
                (SAMPLE_TYPES + "\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
        String query =
                "?name=%s&from=%s&until=%s&spyName=heapsampler"
                        .formatted(
                                URLEncoder.encode(name, StandardCharsets.UTF_8),
                                nanos(delta.from()),
                                nanos(delta.until()));
        String type = "multipart/form-data; boundary=" + boundary;
        return request(URI.create(address + query), type, null, body);
    }

    private static void part(OutputStream body, String boundary, String name, String file)
            throws IOException {
        String head =
                """
                \r
                --%s\r
                Content-Disposition: form-data; name="%s"; filename="%s"\r
                Content-Type: application/octet-stream\r
                \r
                """
                        .formatted(boundary, name, file);
        body.write(head.getBytes(StandardCharsets.UTF_8));
    }

    private static long nanos(Instant time) {
        return ChronoUnit.NANOS.between(Instant.EPOCH, time);
    }
}
