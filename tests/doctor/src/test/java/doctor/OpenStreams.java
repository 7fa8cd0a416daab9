// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Streams that decompress, each with memory of zlib's, closed or forgotten. */
final class OpenStreams implements Program {

    private final List<Object> kept = new ArrayList<>();
    private final byte[] compressed = compressed();
    private final byte[] buffer = new byte[512];
    private final boolean isClosing;

    OpenStreams(boolean isClosing) {
        this.isClosing = isClosing;
    }

    private static byte[] compressed() {
        byte[] plain = new byte[60_000];
        SplittableRandom random = new SplittableRandom(8);
        for (int i = 0; i < plain.length; i++) {
            plain[i] = (byte) random.nextInt(64);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(plain);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void run(BooleanSupplier running) throws Exception {
        while (running.getAsBoolean()) {
            GZIPInputStream stream = open();
            if (isClosing) {
                stream.close();
            } else {
                kept.add(stream);
            }
            Sink.last = new byte[4096];
            Thread.sleep(1);
        }
    }

    private GZIPInputStream open() throws IOException {
        GZIPInputStream stream = new GZIPInputStream(new ByteArrayInputStream(compressed));
        if (stream.read(buffer) < 0) {
            throw new IllegalStateException("nothing was compressed");
        }
        return stream;
    }
}
