// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.MaxAllocation;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A run keeps nothing of a test that has ended. */
class EndedTestsTest {

    @TestMethodOrder(OrderAnnotation.class)
    static class Two {

        static WeakReference<Object> first = new WeakReference<>(null);

        @Test
        @Order(1)
        @MaxAllocation("1 KB")
        void asserts() {
            first = new WeakReference<>(this);
        }

        @Test
        @Order(2)
        void findsNoInstanceOfTheFirst() {
            Instant end = Instant.now().plus(Duration.ofSeconds(10));
            while (first.get() != null && Instant.now().isBefore(end)) {
                System.gc();
            }
            assertThat(first.get()).isNull();
        }
    }

    @Test
    void instanceOfATestIsFreed() {
        Kit.assertPasses(Two.class, 2);
    }
}
