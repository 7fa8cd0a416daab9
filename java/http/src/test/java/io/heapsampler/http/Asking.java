// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Asks an endpoint without a server. */
final class Asking {

    private Asking() {}

    /** What came back. */
    record Answer(int status, Map<String, String> headers, byte[] body) {

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    static EndpointRequest.Builder request(String method, String target) {
        int mark = target.indexOf('?');
        return EndpointRequest.builder(method, mark < 0 ? target : target.substring(0, mark))
                .query(mark < 0 ? null : target.substring(mark + 1))
                .remoteAddress(InetAddress.getLoopbackAddress());
    }

    /** Asks with {@code Host: localhost} unless the headers have another. */
    static Answer ask(
            HeapSamplerEndpoint endpoint, String method, String target, String... headers) {
        EndpointRequest.Builder request = request(method, target);
        boolean hasHost = false;
        for (String header : headers) {
            String[] parts = header.split(": ", 2);
            request.header(parts[0], parts[1]);
            hasHost |= parts[0].equalsIgnoreCase("Host");
        }
        if (!hasHost) {
            request.header("Host", "localhost");
        }
        return answer(endpoint, request.build());
    }

    static Answer post(HeapSamplerEndpoint endpoint, String target, String form) {
        return answer(
                endpoint,
                request("POST", target)
                        .header("Host", "localhost")
                        .header("Origin", "http://localhost")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .body(new ByteArrayInputStream(form.getBytes(StandardCharsets.UTF_8)))
                        .build());
    }

    static Answer answer(HeapSamplerEndpoint endpoint, EndpointRequest request) {
        try (EndpointResponse response = endpoint.handle(request)) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            response.writeTo(body);
            return new Answer(response.status(), response.headers(), body.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
