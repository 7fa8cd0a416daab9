// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.DefaultByteBufferPool;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Faulty: each upload takes direct buffers from an Undertow pool; one in five is broken off, and
 * its buffers are neither given back nor forgotten.
 */
public final class UndertowUploads {

    private static final int UPLOADS = 4_500;

    private static final int PARTS = 8;

    private static long copied;

    private final DefaultByteBufferPool pool = new DefaultByteBufferPool(true, 16 << 10, 64, 0);

    private final Map<Integer, PooledByteBuffer[]> running = new HashMap<>();

    private final byte[] part = new byte[16 << 10];

    private PooledByteBuffer[] receive(int number) {
        PooledByteBuffer[] buffers = new PooledByteBuffer[PARTS];
        running.put(number, buffers);
        for (int i = 0; i < PARTS; i++) {
            buffers[i] = pool.allocate();
            buffers[i].getBuffer().put(part).flip();
        }
        return buffers;
    }

    private long upload(int number) {
        PooledByteBuffer[] buffers = receive(number);
        if (number % 5 == 0) {
            return 0;
        }
        long sum = 0;
        for (PooledByteBuffer buffer : buffers) {
            byte[] stored = new byte[buffer.getBuffer().remaining()];
            buffer.getBuffer().get(stored);
            sum += stored.length;
            buffer.close();
        }
        running.remove(number);
        return sum;
    }

    public static void main(String... args) {
        UndertowUploads server = new UndertowUploads();
        new Random(1).nextBytes(server.part);
        Load.spread(UPLOADS, args, number -> copied += server.upload(number));
        System.out.println("copied " + copied + ", running " + server.running.size());
    }
}
