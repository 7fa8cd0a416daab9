// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoLeaks;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests about what stays alive, for {@link LifeTest}. */
final class LifeCases {

    private LifeCases() {}

    static class Clean {

        private int run;

        @Test
        @MaxRetained("1 KB")
        void leavesNothing() {
            Sink.kilobytes(100);
            Sink.last = null;
        }

        @Test
        @MaxRetained(value = "1 KB", warmup = 1)
        void fillsACacheOnce() {
            Sink.CACHE.computeIfAbsent(1, key -> new byte[10_000]);
        }

        @Test
        @NoLeaks
        void replacesTheLast() {
            Sink.kilobytes(100);
        }

        @Test
        @NoLeaks(iterations = 20)
        void fillsACache() {
            run++;
            Sink.CACHE.computeIfAbsent(run % 10, key -> new byte[10_000]);
        }

        @Test
        @NoLeaks(perSite = "16 KB")
        void leaksLittle() {
            Sink.LEAK.add(new byte[10_000]);
        }

        @Test
        @NoLeaks
        @AllowedLeak(reason = "for the test", frames = "io.heapsampler.tests.junit.LifeCases")
        void leaksWhatItMay() {
            Sink.LEAK.add(new byte[10_000]);
        }
    }

    /** Leaves something now and then: with a chance of one half. */
    static class Noise {

        private final Random random = new Random(7);

        @Test
        @NoLeaks
        void leavesSomethingNowAndThen() {
            if (random.nextBoolean()) {
                Sink.LEAK.add(new byte[10_000]);
            }
        }
    }

    static class Retaining {
        @Test
        @MaxRetained("64 KB")
        void keeps() {
            Sink.LEAK.add(new byte[100_000]);
        }
    }

    static class Leaking {
        @Test
        @NoLeaks
        void leaks() {
            Sink.kilobytes(100);
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    /** 600 samples and more: 1 MB ± 8 %, far from the limit. */
    static class LeakingMuch {
        @Test
        @NoLeaks(iterations = 5, perSite = "256 KB", interval = "8 KB")
        void leaks() {
            for (int i = 0; i < 1_000; i++) {
                Sink.LEAK.add(new byte[1_000]);
            }
        }
    }

    static class LeakingInAFile {
        @Test
        @NoLeaks
        void leaks() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    static class ByBuilder {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().types(byte[].class).noLeaks(5, "1 KB").build();

        @Test
        void leaks() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    static class FixedInAFile {
        @Test
        @NoLeaks
        void isClean() {
            Sink.kilobytes(1);
        }
    }

    static class NotNeeded {

        @Test
        @NoLeaks
        @AllowedLeak(reason = "not needed", frames = "io.heapsampler.tests.junit")
        void isClean() {
            Sink.kilobytes(1);
        }

        @Test
        @MaxRetained("4 KB")
        @AllowedLeak(reason = "not needed", frames = "io.heapsampler.tests.junit")
        void isWithinTheLimit() {
            Sink.kilobytes(1);
        }
    }

    @AllowedLeak(reason = "for the heirs", frames = "io.heapsampler.tests.junit")
    abstract static class Allowing {}

    static class CleanHeir extends Allowing {
        @Test
        @NoLeaks
        void isClean() {
            Sink.kilobytes(1);
        }
    }

    static class LeakingHeir extends Allowing {
        @Test
        @NoLeaks
        void leaks() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    static class NotFound {
        @Test
        @NoLeaks
        @AllowedLeak(reason = "was fixed", frames = "com.acme.Money.parse")
        void isClean() {
            Sink.kilobytes(1);
        }
    }
}
