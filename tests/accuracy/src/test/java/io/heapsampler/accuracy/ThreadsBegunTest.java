// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Threads that begin take evidence from sites that seem to be sampled wrongly, so they count. */
class ThreadsBegunTest {

    private static final int THREADS = 50;

    /** The header of a block, that of its section INFO, and 25 entries. */
    private static final int OFFSET = 32 + 16 + 25 * Long.BYTES;

    private static long begun(HeapRecording recording) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        recording.snapshot().writeTo(block);
        return ByteBuffer.wrap(block.toByteArray()).order(ByteOrder.LITTLE_ENDIAN).getLong(OFFSET);
    }

    private static HeapRecording record() {
        return HeapSampler.record(RecordingOptions.builder().interval(65_536).build());
    }

    @Test
    void threadsCountFromTheBeginningOfTheRecording() throws Exception {
        try (HeapRecording first = record()) {
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(() -> Allocator.garbage(1, 64));
                thread.start();
                thread.join();
            }
            try (HeapRecording second = record()) {
                assertThat(begun(first)).isGreaterThanOrEqualTo(THREADS);
                assertThat(begun(second)).isLessThan(THREADS);
            }
        }
    }
}
