// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.DefaultByteBufferPool;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Healthy: the direct buffers of an Undertow pool grow with the largest wave of requests so far,
 * and stay in the pool.
 */
public final class UndertowBufferPool {

    private static final int WAVES_A_SECOND = 4;

    private static final int LARGEST_WAVE = 1_200;

    private static long copied;

    private final DefaultByteBufferPool pool = new DefaultByteBufferPool(true, 64 << 10, 2_000, 0);

    private final byte[] body = new byte[48 << 10];

    private long wave(int requests) {
        List<PooledByteBuffer> open = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            PooledByteBuffer buffer = pool.allocate();
            buffer.getBuffer().put(body).flip();
            open.add(buffer);
        }
        long sum = 0;
        for (PooledByteBuffer buffer : open) {
            byte[] received = new byte[buffer.getBuffer().remaining()];
            buffer.getBuffer().get(received);
            sum += received.length;
            buffer.close();
        }
        return sum;
    }

    public static void main(String... args) {
        UndertowBufferPool server = new UndertowBufferPool();
        Random random = new Random(1);
        random.nextBytes(server.body);
        Load.at(
                WAVES_A_SECOND,
                args,
                number -> copied += server.wave(100 + random.nextInt(LARGEST_WAVE - 100)));
        System.out.println("copied " + copied);
        server.pool.close();
    }
}
