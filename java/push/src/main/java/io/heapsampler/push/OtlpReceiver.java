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
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** OTLP over HTTP, with profiles in protobuf. */
final class OtlpReceiver extends Receiver {

    static final String PATH = "/v1development/profiles";

    // Fields of the messages ExportProfilesServiceResponse and ExportProfilesPartialSuccess.
    private static final int PARTIAL_SUCCESS = 1;
    private static final int REJECTED_PROFILES = 1;
    private static final int ERROR_MESSAGE = 2;

    private final Map<String, String> resource;
    private final boolean isCompressed;
    private final boolean hasTraces;

    OtlpReceiver(
            URI address,
            Map<String, String> resource,
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

    @Override
    HttpRequest encode(Deltas.Delta delta) throws IOException {
        Body body = newBody();
        try (OutputStream out = isCompressed ? new GZIPOutputStream(body) : body) {
            Exporting.get().writeOtlp(delta.now(), resource, out, export(delta));
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

    /**
     * Returns a field of a message: a Long or a ByteBuffer; null if it is missing, or if the bytes
     * are no message.
     */
    private static @Nullable Object field(ByteBuffer message, int number) {
        ByteBuffer rest = message.duplicate();
        while (rest.hasRemaining()) {
            long tag = varint(rest);
            long value = varint(rest);
            ByteBuffer inner = null;
            if ((tag & 7) == 2) {
                int length = (int) Math.max(0, Math.min(value, rest.remaining()));
                inner = rest.slice(rest.position(), length);
                rest.position(rest.position() + length);
            } else if ((tag & 7) != 0) {
                return null;
            }
            if (tag >>> 3 == number) {
                return inner == null ? (Object) value : inner;
            }
        }
        return null;
    }

    private static long varint(ByteBuffer from) {
        long value = 0;
        for (int shift = 0; from.hasRemaining() && shift < Long.SIZE; shift += 7) {
            byte b = from.get();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                break;
            }
        }
        return value;
    }
}
