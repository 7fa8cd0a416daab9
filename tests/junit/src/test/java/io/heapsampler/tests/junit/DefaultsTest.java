// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoLeaks;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What annotations leave open is taken from the parameters {@code heapsampler.*}. */
@Tag("once")
class DefaultsTest {

    static int kilobytes;

    @AfterEach
    void forget() {
        Sink.forget();
    }

    static class Threads {

        @Test
        @MaxAllocation("50 KB")
        void open() throws InterruptedException {
            inAnotherThread();
        }

        @Test
        @MaxAllocation(value = "50 KB", threads = ThreadScope.TEST)
        void written() throws InterruptedException {
            inAnotherThread();
        }

        @Test
        @MaxRetained("1 MB") // would be refused
        void notForWhatStaysAlive() {}

        private static void inAnotherThread() throws InterruptedException {
            Thread thread = new Thread(() -> Sink.kilobytes(100));
            thread.start();
            thread.join();
        }
    }

    @Test
    void threads() {
        Collections.assumeCollections();
        Kit.assertPasses(Threads.class, 3);

        assertThat(Kit.problem(Map.of("heapsampler.junit.threads", "inherited"), Threads.class))
                .hasMessageStartingWith("Threads.open() allocated ")
                .hasMessageContaining("in the test's thread and those it starts");
    }

    static class Leaks {

        @Test
        @NoLeaks
        void open() {
            Sink.LEAK.add(new byte[2_000]);
        }

        @Test
        @NoLeaks(iterations = 6, perSite = "8 KB")
        void written() {
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    @Test
    void iterationsAndBytesPerSite() {
        Collections.assumeCollections();
        assertThat(Kit.problem(Leaks.class)).hasMessageStartingWith("Leaks.open() leaks: ");

        String entries =
                Kit.entries(
                        Kit.run(
                                Map.of(
                                        "heapsampler.junit.iterations",
                                        "7",
                                        "heapsampler.junit.perSite",
                                        "4 KB"),
                                Leaks.class));

        assertThat(entries)
                .containsPattern("PASSED: no leak in 10 runs; [12] sites? within perSite")
                .containsPattern("PASSED: no leak in 9 runs; [12] sites? within perSite");
    }

    static class Baselines {

        @Test
        @AllocationBaseline
        void open() {
            Sink.kilobytes(kilobytes);
        }

        @Test
        @AllocationBaseline(tolerance = "1 %")
        void written() {
            Sink.kilobytes(kilobytes);
        }
    }

    @Test
    void tolerance(@TempDir Path directory) {
        String key = "heapsampler.junit.baseline.directory";
        String files = directory.toString();
        kilobytes = 100;
        Kit.run(Map.of(key, files, "heapsampler.junit.update", "true"), Baselines.class);
        kilobytes = 150;

        assertThat(Kit.problems(Kit.run(Map.of(key, files), Baselines.class))).hasSize(2);
        assertThat(
                        Kit.problem(
                                Map.of(key, files, "heapsampler.junit.tolerance", "60 KB"),
                                Baselines.class))
                .hasMessageStartingWith("Baselines.written() allocated 152,400 bytes");
    }
}
