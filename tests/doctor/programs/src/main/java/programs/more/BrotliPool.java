// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * Healthy: up to two hundred downloads run at a time, each with a Brotli stream and its native
 * memory; a stream is closed when its download ends.
 */
public final class BrotliPool {

    private static final int PARTS_A_SECOND = 400;

    private static final int DOWNLOADS = 200;

    private static long written;

    private final Deque<BrotliOutputStream> running = new ArrayDeque<>();

    private final Random random = new Random(1);

    private int part(int number) throws IOException {
        if (number % 8 == 0) {
            running.add(
                    new BrotliOutputStream(
                            OutputStream.nullOutputStream(),
                            new Encoder.Parameters().setQuality(3).setWindow(20)));
        }
        if (running.size() > DOWNLOADS) {
            running.poll().close();
        }
        byte[] part = new byte[16_384];
        random.nextBytes(part);
        for (int i = 0; i < part.length; i++) {
            part[i] = (byte) ('a' + (part[i] & 15));
        }
        BrotliOutputStream stream = running.poll();
        stream.write(part);
        running.add(stream);
        return part.length;
    }

    public static void main(String... args) {
        Brotli4jLoader.ensureAvailability();
        BrotliPool server = new BrotliPool();
        Load.at(PARTS_A_SECOND, args, number -> written += server.part(number));
        System.out.println("written " + written + ", running " + server.running.size());
    }
}
