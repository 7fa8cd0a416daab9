// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** A kind of receiver: its requests, and the meaning of its responses. Immutable. */
abstract class Receiver {

    final URI address;
    final PushOptions options;

    Receiver(URI address, PushOptions options) {
        this.address = address;
        this.options = options;
    }

    /**
     * A warning in a response that is a success.
     *
     * @param isLoss the receiver has not accepted everything
     */
    record Complaint(boolean isLoss, String text) {}

    /** The request would be larger than {@link PushBuilder#maxQueueBytes(long)}. */
    static final class TooLargeException extends IOException {

        private static final long serialVersionUID = 1L;

        TooLargeException(long limit) {
            super("more than " + limit + " bytes");
        }
    }

    /** A request under construction. It has a limit. */
    static final class Body extends OutputStream {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final long limit;

        private Body(long limit) {
            this.limit = limit;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            if (bytes.size() + (long) length > limit) {
                throw new TooLargeException(limit);
            }
            bytes.write(source, offset, length);
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }

    /** Encodes a request. */
    abstract HttpRequest encode(Deltas.Delta delta) throws IOException;

    /** Returns whether the same request can succeed later. Pyroscope's rule. */
    boolean isTemporary(int status) {
        return status == 408 || status == 429 || (status >= 500 && status != 501);
    }

    /** Returns the warning in a response that is a success; null for none. */
    @Nullable Complaint complaint(byte[] response) {
        return null;
    }

    final Body newBody() {
        return new Body(options.maxQueueBytes());
    }

    /** Returns the name that this receiver accepts for the key of a label of samples. */
    String labelName(String key) {
        return key;
    }

    /** Returns a builder with the options that this receiver alone has. */
    ExportOptions.Builder newExport() {
        return ExportOptions.builder();
    }

    final ExportOptions export(Deltas.Delta delta) {
        ExportOptions.Builder export =
                newExport().metric(HeapMetric.LIVE_BYTES).maxSites(options.maxSites());
        options.sampleLabels().applyTo(export, this::labelName);
        return delta.since() == null
                ? export.build()
                : export.allocatedSince(delta.since()).build();
    }

    final void writePprof(Deltas.Delta delta, OutputStream out) throws IOException {
        delta.now().writeTo(out, ExportFormat.PPROF.with(export(delta)));
    }

    /**
     * Makes a request with the headers of the application.
     *
     * @param encoding the encoding of the body; null for none
     */
    final HttpRequest request(URI to, String contentType, @Nullable String encoding, Body body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(to)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                        .header("Content-Type", contentType);
        if (encoding != null) {
            request.header("Content-Encoding", encoding);
        }
        options.headers().forEach(request::setHeader);
        return request.build();
    }
}
