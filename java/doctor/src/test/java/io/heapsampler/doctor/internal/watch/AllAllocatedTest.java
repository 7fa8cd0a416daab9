// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllAllocatedTest {

    private static volatile byte[] sink = new byte[0];

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAllThreadsAllocateIsCounted(boolean useTotal) throws InterruptedException {
        AllAllocated bytes = new AllAllocated(useTotal);
        long before = bytes.now();
        for (int i = 0; i < 100; i++) {
            sink = new byte[1 << 20];
        }
        long between = bytes.now();
        Thread other = new Thread(() -> sink = new byte[1 << 20]);
        other.start();
        other.join();
        long after = bytes.now();

        assertThat(sink).hasSize(1 << 20);
        assertThat(between - before).isGreaterThanOrEqualTo(100 << 20);
        assertThat(after).isGreaterThanOrEqualTo(between); // a thread that ends takes nothing away
    }
}
