// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Test;

class AllocatedBytesTest {

    private static volatile Object sink = new Object();

    @Test
    void aThreadsOwnBytesAreExact() {
        assumeThat(AllocatedBytes.isCounted()).isTrue();
        AllocatedBytes.ofThisThread(); // links it
        long before = AllocatedBytes.ofThisThread();
        sink = new byte[1_000_000];
        long bytes = AllocatedBytes.ofThisThread() - before;

        assertThat(bytes).isBetween(1_000_000L, 1_000_100L);
        assertThat(sink).isNotNull();
    }

    @Test
    void theTotalContainsThisThread() {
        assumeThat(AllocatedBytes.hasTotal()).isTrue();
        sink = new byte[1_000_000];

        assertThat(AllocatedBytes.total()).isGreaterThanOrEqualTo(AllocatedBytes.ofThisThread());
    }

    @Test
    @SuppressWarnings("deprecation") // threadId() came with 19.
    void bytesOfSeveralThreadsComeInTheirOrder() {
        assumeThat(AllocatedBytes.isCounted()).isTrue();
        long me = Thread.currentThread().getId();

        assertThat(AllocatedBytes.threadIds()).contains(me);
        assertThat(AllocatedBytes.of(new long[] {Long.MAX_VALUE, me})[0]).isEqualTo(-1);
        assertThat(AllocatedBytes.of(new long[] {Long.MAX_VALUE, me})[1]).isPositive();
    }
}
