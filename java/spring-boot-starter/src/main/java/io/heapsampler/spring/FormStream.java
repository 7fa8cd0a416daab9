// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request. If a filter has called {@code getParameter}, the container has read the
 * form, and nothing is left of the body: then this is the form again, from the parameters. For
 * blocking reads by one thread.
 */
final class FormStream extends ServletInputStream {

    private final ServletInputStream body;
    private final HttpServletRequest request;

    /** Where the bytes are, after the first read. */
    private @Nullable InputStream source;

    private boolean isFinished;

    FormStream(ServletInputStream body, HttpServletRequest request) {
        this.body = body;
        this.request = request;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (source == null) {
            int read = body.read(bytes, offset, length);
            source = read < 0 ? new ByteArrayInputStream(form()) : body;
            if (read >= 0) {
                return read;
            }
        }
        int read = source.read(bytes, offset, length);
        isFinished = read < 0;
        return read;
    }

    /** Returns the parameters, without those of the query, which come first. */
    private byte[] form() {
        String type = request.getContentType();
        if (type == null || !type.startsWith("application/x-www-form-urlencoded")) {
            return new byte[0];
        }
        Map<String, Integer> ofQuery = countsOfQuery(request.getQueryString());
        StringJoiner form = new StringJoiner("&");
        request.getParameterMap()
                .forEach(
                        (name, values) -> {
                            int first = Math.min(ofQuery.getOrDefault(name, 0), values.length);
                            List<String> own = Arrays.asList(values);
                            own.subList(first, values.length)
                                    .forEach(value -> form.add(encoded(name, value)));
                        });
        return form.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static Map<String, Integer> countsOfQuery(@Nullable String query) {
        Map<String, Integer> counts = new HashMap<>();
        if (query != null) {
            for (String pair : query.split("&", -1)) {
                counts.merge(name(pair), 1, Integer::sum);
            }
        }
        return counts;
    }

    private static String name(String pair) {
        String name = pair.split("=", 2)[0];
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return name; // the endpoint refuses this query
        }
    }

    private static String encoded(String name, String value) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8)
                + "="
                + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    @Override
    public boolean isFinished() {
        return isFinished;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
        throw new IllegalStateException("This stream is for blocking reads.");
    }
}
