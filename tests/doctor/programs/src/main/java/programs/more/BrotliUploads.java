// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Faulty: each upload is compressed by a Brotli stream with native memory; one in four is abandoned
 * by its client, and its stream is never closed.
 */
public final class BrotliUploads {

    private static final int UPLOADS = 2_400;

    private static long written;

    private final Map<Integer, BrotliOutputStream> open = new HashMap<>();

    private final Random random = new Random(1);

    private int upload(int number) throws IOException {
        BrotliOutputStream stream =
                new BrotliOutputStream(
                        OutputStream.nullOutputStream(),
                        new Encoder.Parameters().setQuality(3).setWindow(20));
        open.put(number, stream);
        byte[] part = new byte[16_384];
        for (int i = 0; i < 8; i++) {
            random.nextBytes(part);
            for (int j = 0; j < part.length; j++) {
                part[j] = (byte) ('a' + (part[j] & 15));
            }
            stream.write(part);
        }
        if (number % 4 != 0) {
            open.remove(number).close();
        }
        return 8 * part.length;
    }

    public static void main(String... args) throws IOException {
        Brotli4jLoader.ensureAvailability();
        BrotliUploads uploads = new BrotliUploads();
        Load.spread(UPLOADS, args, number -> written += uploads.upload(number));
        System.out.println("written " + written + ", open " + uploads.open.size());
    }
}
