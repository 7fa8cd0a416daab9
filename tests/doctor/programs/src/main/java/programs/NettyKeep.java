// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages in Netty's pooled direct buffers. Arguments: seconds, messages of 8 KiB per second,
 * {@code keep} (no buffer is released) or {@code release}.
 */
final class NettyKeep {

    private static final int BYTES = 8 << 10;
    private static final List<ByteBuf> KEPT = new ArrayList<>();

    private NettyKeep() {}

    public static void main(String... args) {
        boolean keeps = args[2].equals("keep");
        byte[] message = new byte[BYTES];
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(30);
                            ByteBuf buffer = receive(message);
                            if (keeps) {
                                KEPT.add(buffer);
                            } else {
                                buffer.release();
                            }
                        });
        System.out.println("buffers: " + KEPT.size());
    }

    private static ByteBuf receive(byte[] message) {
        return PooledByteBufAllocator.DEFAULT.directBuffer(BYTES).writeBytes(message);
    }
}
