// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers are written through direct buffers. Arguments: seconds, buffers of 64 KiB per second,
 * {@code keep} (each is kept) or {@code reuse} (one for all).
 */
final class NioKeep {

    private static final int BYTES = 64 << 10;
    private static final List<ByteBuffer> KEPT = new ArrayList<>();

    private NioKeep() {}

    public static void main(String... args) {
        boolean keeps = args[2].equals("keep");
        ByteBuffer shared = ByteBuffer.allocateDirect(BYTES);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(100);
                            ByteBuffer buffer = keeps ? allocate() : shared.clear();
                            while (buffer.remaining() >= Long.BYTES) {
                                buffer.putLong(number);
                            }
                        });
        System.out.println("buffers: " + KEPT.size());
    }

    private static ByteBuffer allocate() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
        KEPT.add(buffer);
        return buffer;
    }
}
