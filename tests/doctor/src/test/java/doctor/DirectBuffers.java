// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Memory outside the heap, in buffers that are dropped at once, or kept. */
final class DirectBuffers implements Program {

    private final List<ByteBuffer> kept = new ArrayList<>();
    private final int size;
    private final int pauseMillis;
    private final boolean isLeaking;

    private DirectBuffers(int size, int pauseMillis, boolean isLeaking) {
        this.size = size;
        this.pauseMillis = pauseMillis;
        this.isLeaking = isLeaking;
    }

    static DirectBuffers leaked() {
        return new DirectBuffers(256 << 10, 10, true);
    }

    static DirectBuffers dropped() {
        return new DirectBuffers(256 << 10, 2, false);
    }

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        while (running.getAsBoolean()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(size);
            if (isLeaking) {
                kept.add(buffer);
            }
            Thread.sleep(pauseMillis);
        }
    }
}
