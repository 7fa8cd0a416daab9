// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The sampler before its first start: this class runs before all others. */
@Order(1)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NeverStartedTest {

    @Test
    @Order(1)
    void statusIsKnownAndLoadsNothing() {
        SamplerStatus status = HeapSampler.status();

        assertThat(status.state()).isEqualTo(SamplerState.NEW);
        assertThat(status.isSampling()).isFalse();
        assertThat(status.interval()).isEqualTo(512 * 1024);
        assertThat(status.recordings()).isZero();
        assertThat(status.libraryVersion()).isNull();
        assertThat(status.libraryOrigin()).isNull();
    }

    @Test
    @Order(2)
    void snapshotIsEmpty() {
        assertEmpty(HeapSampler.snapshot());
        assertEmpty(HeapSampler.snapshot(SnapshotOptions.afterGc()));
    }

    private static void assertEmpty(HeapSnapshot snapshot) {
        assertThat(snapshot.sites()).isEmpty();
        assertThat(snapshot.samples()).isEmpty();
        assertThat(snapshot.classes()).isEmpty();
        assertThat(snapshot.threads()).isEmpty();
        assertThat(snapshot.totals().allocated().bytes().value()).isZero();
        assertThat(snapshot.duration()).isZero();
        assertThat(snapshot.collections()).isZero();
        assertThat(snapshot.dropped().values()).containsOnly(0L);
        assertThat(snapshot.startedAt()).isEqualTo(snapshot.takenAt());
    }

    @Test
    @Order(3)
    void stopAndResetAreHarmless() {
        HeapSampler.stop();
        HeapSampler.reset();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.NEW);
    }

    @Test
    @Order(4)
    void labelsDoNothingAndLoadNothing() {
        HeapLabels labels = HeapLabels.of("endpoint", "GET /orders");
        open(labels, 20_000);
        long before = Work.allocatedBytes();
        open(labels, 10_000);
        long allocated = Work.allocatedBytes() - before;

        assertThat(allocated).as("of 10,000 scopes").isLessThan(10_000);
        assertThat(HeapSampler.status().libraryVersion()).isNull();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.NEW);
    }

    private static void open(HeapLabels labels, int times) {
        for (int i = 0; i < times; i++) {
            labels.open().close();
        }
    }

    @Test
    @Order(5)
    @Tag("J20")
    void queryingSupportStartsNothing() {
        assertThat(HeapSampler.unavailability()).isNull();

        SamplerStatus status = HeapSampler.status();
        assertThat(status.state()).isEqualTo(SamplerState.NEW);
        assertThat(status.isSampling()).isFalse();
        assertThat(status.libraryVersion()).isNotNull();
        assertThat(OwnWorkTest.samplerThreads()).isEmpty();
    }

    @Test
    @Order(6)
    @Tag("J14")
    void intervalSetBeforeTheFirstStartIsKept() {
        HeapSampler.setInterval(123_456);

        assertThat(HeapSampler.status().interval()).isEqualTo(123_456);
        assertThat(HeapSampler.snapshot().interval()).isEqualTo(123_456);
        HeapSampler.start();
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(123_456);
        HeapSampler.stop();
    }
}
