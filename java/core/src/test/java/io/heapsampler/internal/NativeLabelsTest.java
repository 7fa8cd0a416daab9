// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How labels come to the engine of an agent. */
class NativeLabelsTest {

    private final AtomicInteger looks = new AtomicInteger();

    @Test
    void anEngineIsLookedForOnceASecond() {
        NativeLabels labels =
                new NativeLabels(
                        () -> {
                            looks.incrementAndGet();
                            return null;
                        });
        long begin = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            assertThat(labels.joins()).isFalse();
        }
        long seconds = (System.nanoTime() - begin) / 1_000_000_000;
        assertThat(looks.longValue()).isBetween(1L, 1 + seconds);
    }

    /** As while a server stops the application. */
    @Test
    void anEngineThatCannotBeJoinedIsNotThere() {
        NativeLabels closed =
                new NativeLabels(
                        () -> {
                            throw new NoClassDefFoundError("made up for a test");
                        });
        NativeLabels stopped =
                new NativeLabels(
                        () -> {
                            throw new IllegalStateException("made up for a test");
                        });
        assertThat(closed.joins()).isFalse();
        assertThat(stopped.joins()).isFalse();
    }
}
