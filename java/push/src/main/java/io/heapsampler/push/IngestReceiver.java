// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The older API of Pyroscope: a form with a profile, and all that is known about it in the query.
 * The server takes every figure of such a profile for what happened in its time.
 */
final class IngestReceiver implements Receiver {

    /** Without it, older servers would take allocations for cumulative. */
    private static final String SAMPLE_TYPES =
            """
            {"alloc_objects":{"units":"objects","aggregation":"sum","display-name":"alloc_objects"},\
            "alloc_space":{"units":"bytes","aggregation":"sum","display-name":"alloc_space"},\
            "inuse_objects":{"units":"objects","aggregation":"average","display-name":"inuse_objects"},\
            "inuse_space":{"units":"bytes","aggregation":"average","display-name":"inuse_space"}}\
            """;

    private final URI address;
    private final String name;
    private final long most;
    private final ExportOptions export;

    IngestReceiver(URI address, Map<String, String> labels, PushOptions options) {
        this.address = address;
        this.name = name(options.serviceName(), labels);
        this.most = options.maxQueueBytes();
        this.export = exportOptions(options);
    }

    /** Without labels, for Pyroscope would make a series of each class. */
    static ExportOptions exportOptions(PushOptions options) {
        return ExportOptions.builder()
                .metric(HeapMetric.LIVE_BYTES)
                .maxSites(options.maxSites())
                .labels(false)
                .build();
    }

    private static String name(String service, Map<String, String> labels) {
        if (!service.matches("[a-zA-Z0-9_./-]+")) {
            throw new IllegalArgumentException(
                    "with /ingest a service name has letters, digits and any of _ . / - only, but"
                            + " this is \""
                            + service
                            + "\". Rename it, or use Api.PUSH_V1.");
        }
        labels.forEach(IngestReceiver::requirePlain);
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(",", service + "{", "}"));
    }

    private static void requirePlain(String label, String value) {
        if (value.indexOf(',') >= 0 || value.indexOf('}') >= 0 || !value.equals(value.strip())) {
            throw new IllegalArgumentException(
                    "with /ingest the value of a label cannot have commas, closing braces, or"
                            + " spaces at its ends, but "
                            + label
                            + " is \""
                            + value
                            + "\". Change it, or use Api.PUSH_V1.");
        }
    }

    @Override
    public Payload encode(Delta delta) throws IOException {
        String boundary = "heapsampler-" + UUID.randomUUID();
        BoundedBytes body = new BoundedBytes(most);
        part(body, boundary, "profile", "profile.pprof");
        delta.writePprof(body, export);
        part(body, boundary, "sample_type_config", "sample_type_config.json");
        body.write(
                (SAMPLE_TYPES + "\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
        String query =
                "?name="
                        + URLEncoder.encode(name, StandardCharsets.UTF_8)
                        + "&from="
                        + nanos(delta.from())
                        + "&until="
                        + nanos(delta.until())
                        + "&spyName=heapsampler";
        return new Payload(
                URI.create(address + query),
                "multipart/form-data; boundary=" + boundary,
                null,
                body.toByteArray());
    }

    private static void part(OutputStream body, String boundary, String name, String file)
            throws IOException {
        String head =
                "\r\n--"
                        + boundary
                        + "\r\nContent-Disposition: form-data; name=\""
                        + name
                        + "\"; filename=\""
                        + file
                        + "\"\r\nContent-Type: application/octet-stream\r\n\r\n";
        body.write(head.getBytes(StandardCharsets.UTF_8));
    }

    private static long nanos(Instant time) {
        return ChronoUnit.NANOS.between(Instant.EPOCH, time);
    }

    @Override
    public boolean isTemporary(int status) {
        return PushV1Receiver.isTemporaryForPyroscope(status);
    }
}
