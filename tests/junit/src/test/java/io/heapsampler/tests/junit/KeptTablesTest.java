// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.internal.shared.KeptTables;
import io.heapsampler.junit.MaxAllocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.Isolated;

/** Assertions keep tables from one test to the next, and no other user of the sampler sees them. */
@Isolated
class KeptTablesTest {

    /** Ordered, so that the second runs after an assertion. */
    @TestMethodOrder(OrderAnnotation.class)
    static class Application {

        static SamplerStatus between;
        static SamplerStatus running;

        @Test
        @Order(1)
        @MaxAllocation("1 KB")
        void asserts() {
            Sink.last = new byte[100];
        }

        @Test
        @Order(2)
        void startsWithOptionsOfItsOwn() {
            between = HeapSampler.status();
            HeapSampler.start(SamplerOptions.builder().maxTracked(1_000).build());
            try {
                running = HeapSampler.status();
            } finally {
                HeapSampler.stop();
                HeapSampler.reset();
            }
        }
    }

    /** Options of an application hold for later recordings. */
    @AfterEach
    void takeTheOptionsBack() {
        HeapSampler.start(SamplerOptions.builder().build());
        HeapSampler.stop();
        HeapSampler.reset();
    }

    @Test
    void anApplicationStartsAsIfNothingHadBeenRecorded() {
        Kit.assertPasses(Application.class, 2);

        assertThat(Application.between.recordings()).isZero();
        assertThat(Application.between.isSampling()).isFalse();
        assertThat(Application.between.tracked()).isZero();
        assertThat(Application.running.recordings()).isOne();
        assertThat(Application.running.trackedBudget()).isEqualTo(1_000);
    }

    @Test
    void memoryIsGivenBackAtTheEndOfTheRun() {
        Kit.assertPasses(Application.class, 2); // this thread is known from now on
        long before = HeapSampler.status().memoryUsed();

        Kit.assertPasses(Application.class, 2);

        assertThat(HeapSampler.status().memoryUsed()).isLessThanOrEqualTo(before);
    }

    @Test
    void memoryIsGivenBackByTheLastThatKeepsTables() {
        long before = HeapSampler.status().memoryUsed();
        KeptTables first = KeptTables.open();
        KeptTables second = KeptTables.open();

        HeapSampler.record(RecordingOptions.builder().build()).close();
        first.close();
        first.close();
        assertThat(HeapSampler.status().memoryUsed()).isGreaterThan(before);
        second.close();
        assertThat(HeapSampler.status().memoryUsed()).isLessThanOrEqualTo(before);
    }
}
