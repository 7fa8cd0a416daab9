// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** OTLP over HTTP, with profiles in protobuf. */
final class OtlpReceiver extends Receiver {

    static final String PATH = "/v1development/profiles";

    // Fields of the messages ExportProfilesServiceResponse and ExportProfilesPartialSuccess.
    private static final int PARTIAL_SUCCESS = 1;
    private static final int REJECTED_PROFILES = 1;
    private static final int ERROR_MESSAGE = 2;

    private final Resource resource;
    private final boolean isCompressed;
    private final boolean hasTraces;

    OtlpReceiver(
            URI address,
            Resource resource,
            PushOptions options,
            OtlpPushBuilder.Compression compression,
            boolean hasTraces) {
        super(address, options);
        this.resource = resource;
        this.isCompressed = compression == OtlpPushBuilder.Compression.GZIP;
        this.hasTraces = hasTraces;
    }

    @Override
    ExportOptions.Builder newExport() {
        return ExportOptions.builder().traces(hasTraces);
    }

    /**
     * Where the attributes of the resource come from. Each map wins over equal keys of those
     * before.
     *
     * @param defaults those of the environment
     * @param context returns those of the process context; called for each request
     * @param options those that the application set
     */
    record Resource(
            Map<String, String> defaults,
            Supplier<Map<String, Object>> context,
            Map<String, String> options) {

        Map<String, Object> attributes() {
            Map<String, Object> all = new LinkedHashMap<>(defaults);
            all.putAll(context.get());
            all.putAll(options);
            return all;
        }
    }

    @Override
    HttpRequest encode(Deltas.Delta delta) throws IOException {
        Body body = newBody();
        try (OutputStream out = isCompressed ? new GZIPOutputStream(body) : body) {
            Exporting.get().writeOtlp(delta.now(), resource.attributes(), out, export(delta));
        }
        return request(address, "application/x-protobuf", isCompressed ? "gzip" : null, body);
    }

    /** The rule in the specification of OTLP. */
    @Override
    boolean isTemporary(int status) {
        return status == 429 || status == 502 || status == 503 || status == 504;
    }

    @Override
    @Nullable Complaint complaint(byte[] answer) {
        if (!(field(ByteBuffer.wrap(answer), PARTIAL_SUCCESS) instanceof ByteBuffer partly)) {
            return null;
        }
        long rejected = field(partly, REJECTED_PROFILES) instanceof Long number ? number : 0;
        String text =
                field(partly, ERROR_MESSAGE) instanceof ByteBuffer message
                        ? StandardCharsets.UTF_8.decode(message).toString()
                        : "";
        if (rejected == 0) {
            // Success with a warning, by the specification.
            return text.isEmpty() ? null : new Complaint(false, text);
        }
        return new Complaint(true, rejected + " rejected. " + text);
    }

    /** Returns the last field of this number: a Long or a ByteBuffer; null if it is missing. */
    private static @Nullable Object field(ByteBuffer message, int number) {
        ProtoFields fields = new ProtoFields(message);
        Object found = null;
        while (fields.next()) {
            if (fields.isBytes(number)) {
                found = fields.content();
            } else if (fields.isInteger(number)) {
                found = fields.integer();
            }
        }
        return found;
    }
}
