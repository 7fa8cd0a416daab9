// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;

/** The API of Pyroscope that its own agents use: {@code push.v1}, over Connect with JSON. */
final class PushV1Receiver extends Receiver {

    static final String PATH = "/push.v1.PusherService/Push";

    private final String head;

    PushV1Receiver(URI address, Map<String, String> labels, PushOptions options) {
        super(address, options);
        Map<String, String> all = new LinkedHashMap<>();
        all.put("__name__", "memory");
        // Allocations are those of the interval already: the server must not subtract once more.
        all.put("__delta__", "false");
        all.put("service_name", options.serviceName());
        all.putAll(labels);
        JsonText json = new JsonText().begin('{').name("series").begin('[').begin('{');
        json.name("labels").begin('[');
        all.forEach(
                (name, value) ->
                        json.begin('{')
                                .name("name")
                                .value(name)
                                .name("value")
                                .value(value)
                                .end('}'));
        this.head = json.end(']').toString();
    }

    @Override
    String labelName(String key) {
        return SampleLabels.pyroscopeName(key);
    }

    @Override
    HttpRequest encode(Deltas.Delta delta) throws IOException {
        Body profile = newBody();
        writePprof(delta, profile);
        Body body = newBody();
        try (OutputStream gzip = new GZIPOutputStream(body);
                Writer json = new OutputStreamWriter(gzip, StandardCharsets.UTF_8)) {
            json.append(head).append(",\"samples\":[{\"ID\":\"");
            json.append(UUID.randomUUID().toString()).append("\",\"rawProfile\":\"");
            json.append(Base64.getEncoder().encodeToString(profile.toByteArray()));
            json.append("\"}]}]}");
        }
        return request(address, "application/json", "gzip", body);
    }
}
