// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests whose allocations are not easily seen, for {@link SoundnessTest}. */
final class SoundnessCases {

    private SoundnessCases() {}

    static class CoarseInterval {

        @Test
        @MaxAllocation(value = "1 KB", types = byte[].class)
        void allocates() {
            Sink.kilobytes(10);
        }

        @Test
        @MaxRetained("1 KB")
        void keeps() {
            Sink.LEAK.add(new byte[5_000]);
        }

        @Test
        @NoLeaks
        void leaks() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    abstract static class Base {
        @Nested
        class Inside {
            @Test
            void much() {
                Sink.kilobytes(1_200);
            }
        }
    }

    @MaxAllocation("1 MB")
    static class Heir extends Base {}

    abstract static class Misplaced {
        @BeforeEach
        @NoAllocation
        void measured() {}
    }

    static class HeirOfMisplaced extends Misplaced {
        @Test
        @MaxAllocation("1 MB")
        void test() {}
    }

    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    static class InAThreadOfItsOwn {

        @Test
        @MaxAllocation("512 KB")
        void much() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation("1 MB")
        void probe(AllocationProbe probe) {
            probe.reset();
            Sink.kilobytes(10);
            assertThat(probe.bytes()).isEqualTo(10 * 1016);
        }

        @Test
        @MaxAllocation("1 MB")
        void probeWithoutReset(AllocationProbe probe) {
            Sink.kilobytes(10);
            assertThat(probe.bytes()).isBetween(10 * 1016L, 20 * 1016L);
        }

        @Test
        @MaxAllocation("1 MB")
        void recording(HeapRecording recording) {
            Sink.kilobytes(10);
        }
    }

    static class TwoExtensions {

        @RegisterExtension
        static final HeapSamplerExtension FIRST =
                HeapSamplerExtension.builder().maxAllocation("1 MB").build();

        @RegisterExtension
        final HeapSamplerExtension second =
                HeapSamplerExtension.builder().maxAllocation("2 MB").build();

        @BeforeAll
        static void before(AllocationProbe probe) {
            assertThat(probe.bytes()).isNotNegative();
        }

        @Test
        @MaxAllocation("3 MB")
        void test(AllocationProbe probe) {
            Sink.kilobytes(10);
            assertThat(probe.bytes()).isGreaterThanOrEqualTo(10 * 1016);
        }
    }

    /** Keeps 10 KB at the end of a recursion of 300 calls, or of fewer. */
    static void deep(int done) {
        deepen(done == 0 ? 300 : 5);
    }

    private static void deepen(int more) {
        if (more > 0) {
            deepen(more - 1);
        } else {
            Sink.last = new byte[10_000];
        }
    }

    static class UsedUp {

        private boolean isUsed;

        @Test
        @NoLeaks
        void leaks() {
            use();
        }

        private void use() {
            if (isUsed) {
                throw new IllegalStateException("used up");
            }
            isUsed = true;
        }
    }

    static final class LongComplaint implements ThrowingRunnable {

        private int runs;

        @Override
        public void run() {
            if (++runs > 1) {
                throw new IllegalStateException("x".repeat(100_000));
            }
            Sink.kilobytes(1);
        }
    }
}
