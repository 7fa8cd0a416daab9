// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.export.ExportOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/** The API of Pyroscope that its own agents use: {@code push.v1}, over Connect with JSON. */
final class PushV1Receiver implements Receiver {

    static final String PATH = "/push.v1.PusherService/Push";

    private final URI address;
    private final String head;
    private final long most;
    private final ExportOptions export;

    PushV1Receiver(URI address, Map<String, String> labels, PushOptions options) {
        this.address = address;
        this.most = options.maxQueueBytes();
        this.export = IngestReceiver.exportOptions(options);
        Map<String, String> all = new LinkedHashMap<>();
        all.put("__name__", "memory");
        // Allocations are those of the interval already: the server must not subtract once more.
        all.put("__delta__", "false");
        all.put("service_name", options.serviceName());
        all.putAll(labels);
        this.head =
                all.entrySet().stream()
                        .map(
                                label ->
                                        "{\"name\":"
                                                + quoted(label.getKey())
                                                + ",\"value\":"
                                                + quoted(label.getValue())
                                                + "}")
                        .collect(Collectors.joining(",", "{\"series\":[{\"labels\":[", "]"));
    }

    static boolean isTemporaryForPyroscope(int status) {
        return status == 408 || status == 429 || (status >= 500 && status != 501);
    }

    @Override
    public Payload encode(Delta delta) throws IOException {
        BoundedBytes profile = new BoundedBytes(most);
        delta.writePprof(profile, export);
        BoundedBytes body = new BoundedBytes(most);
        try (OutputStream gzip = new GZIPOutputStream(body);
                Writer json = new OutputStreamWriter(gzip, StandardCharsets.UTF_8)) {
            json.append(head).append(",\"samples\":[{\"ID\":\"");
            json.append(UUID.randomUUID().toString()).append("\",\"rawProfile\":\"");
            json.append(Base64.getEncoder().encodeToString(profile.toByteArray()));
            json.append("\"}]}]}");
        }
        return new Payload(address, "application/json", "gzip", body.toByteArray());
    }

    @Override
    public boolean isTemporary(int status) {
        return isTemporaryForPyroscope(status);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
