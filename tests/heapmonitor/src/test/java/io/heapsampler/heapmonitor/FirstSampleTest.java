// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.DropCause;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The first sample of a thread after a start, where its sample point is not one that the sampler
 * knows. 64 threads allocate 64 KiB each at 512 KiB, with references of eight bytes 128 KiB: 8 or
 * 16 samples, of which more than 40 are seen once in 10 million at most. With the first of each
 * thread it would be some 64 more.
 */
@ExtendWith(CleanSampler.class)
@Tag("J20")
class FirstSampleTest {

    private static final class Marker {}

    private static final int THREADS = 64;
    private static final int ARRAYS = 64;
    private static final int LENGTH = 252; // 1 KiB with references of four bytes
    private static final int MOST = 40;
    private static final boolean COUNTS_ALWAYS = Runtime.version().feature() >= 25;

    private final List<Worker> crew = new ArrayList<>();

    @BeforeEach
    void begin() {
        for (int i = 0; i < THREADS; i++) {
            crew.add(new Worker());
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Worker worker : crew) {
            worker.end();
        }
    }

    /** In C of the JVM, which looks each time whether a sample is due. */
    private static void allocate() {
        for (int i = 0; i < ARRAYS; i++) {
            Work.sink = Array.newInstance(Marker.class, LENGTH);
        }
    }

    private void all(Runnable task) throws InterruptedException {
        for (Worker worker : crew) {
            worker.run(task);
        }
    }

    private void assertFirstSamplesWeighNothing() throws InterruptedException {
        try (HeapRecording everything = Recordings.ofAllThreads(CleanSampler.DEFAULT_INTERVAL);
                HeapRecording recording =
                        Recordings.ofAllThreads(CleanSampler.DEFAULT_INTERVAL, Marker[].class)) {
            all(FirstSampleTest::allocate);
            HeapSnapshot snapshot = recording.snapshot();
            HeapAmount allocated = snapshot.totals().allocated();
            long dropped = snapshot.dropped().get(DropCause.PHANTOM);
            // A thread that needs a new buffer before its first array spends its old point there.
            long ofAnyClass = everything.snapshot().dropped().get(DropCause.PHANTOM);
            System.out.printf(
                    "first samples: dropped=%d of %d samples=%d objects=%d estimate=%s%n",
                    dropped,
                    ofAnyClass,
                    allocated.samples(),
                    THREADS * ARRAYS,
                    allocated.objects());
            assertThat(allocated.samples()).isLessThanOrEqualTo(MOST);
            assertThat(dropped).isLessThanOrEqualTo(THREADS);
            assertThat(ofAnyClass)
                    .as("first samples, which weigh nothing")
                    .isGreaterThanOrEqualTo(THREADS / 2L);
        }
    }

    @Test
    void pointsThatWerePassedWhileSamplingWasOffWeighNothing() throws Exception {
        assumeTrue(COUNTS_ALWAYS, "before 25 the JVM counts nothing while sampling is off");
        for (int round = 0; round < 2; round++) {
            all(Work::passOldSamplePoint);
            assertFirstSamplesWeighNothing();
        }
    }

    @Test
    void pointsThatAnotherAgentMayHaveSetWeighNothing() throws Exception {
        assertThat(Native.takeSampling()).isZero();
        try {
            assertThatThrownBy(HeapSampler::start)
                    .isInstanceOf(HeapSamplingUnavailableException.class);
            all(Work::passOldSamplePoint);
        } finally {
            assertThat(Native.giveSamplingBack()).isZero();
        }
        assertFirstSamplesWeighNothing();
    }
}
