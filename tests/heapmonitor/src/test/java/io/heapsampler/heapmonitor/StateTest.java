// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.objectsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Start, stop, reset, and what is kept across them. */
@ExtendWith(CleanSampler.class)
class StateTest {

    /** The process keeps four rooms to learn stacks in, and the rest: native/README.md. */
    private static final long PROCESS_BYTES = (4 * 42 + 22) * 1024;

    private static final class Marker {}

    private static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            Work.sink = new Marker();
        }
    }

    @Test
    @Tag("J2")
    void startAndStopTwiceAreAsOnce() {
        HeapSampler.start();
        HeapSampler.start();
        HeapSampler.start(SamplerOptions.builder().build());
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(HeapSampler.status().recordings()).isEqualTo(1);

        HeapSampler.stop();
        HeapSampler.stop();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }

    @Test
    @Tag("J19")
    void defaultIntervalIs512KibibytesAndStopKeepsTheLastSetting() {
        HeapSampler.start();
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(524_288);
        HeapSampler.setInterval(40_000);
        HeapSampler.stop();
        HeapSampler.start();
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(40_000);
        HeapSampler.stop();
        HeapSampler.setInterval(50_000);
        HeapSampler.start();
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(50_000);
        assertThat(HeapSampler.snapshot().interval()).isEqualTo(50_000);
    }

    @Test
    @Tag("J19")
    void intervalOfTheOptionsWinsOverTheKeptOne() {
        HeapSampler.setInterval(40_000);
        HeapSampler.start(SamplerOptions.builder().interval(30_000).build());

        assertThat(HeapSampler.status().interval()).isEqualTo(30_000);
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(30_000);
    }

    @Test
    @Tag("J2")
    void startWithOtherOptionsWhileRunningIsRefusedAndChangesNothing() {
        HeapSampler.start();

        assertThatIllegalStateException()
                .isThrownBy(() -> HeapSampler.start(SamplerOptions.builder().interval(1).build()))
                .withMessageContaining("running with other options")
                .withMessageContaining("HeapSampler.setInterval()")
                .withMessageContaining("HeapSampler.stop()");
        assertThatIllegalStateException()
                .isThrownBy(() -> HeapSampler.start(SamplerOptions.builder().maxDepth(7).build()));
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(524_288);
        assertThat(HeapSampler.status().maxDepth()).isEqualTo(128);
    }

    @Test
    @Tag("J2")
    void ofAStartThatIsRefusedForItsReportNothingStays(@TempDir Path folder) throws IOException {
        Path gone = Files.createDirectory(folder.resolve("gone"));
        HeapSampler.start(SamplerOptions.builder().interval(40_000).build());
        HeapSampler.stop();
        SamplerOptions options =
                SamplerOptions.builder().interval(0).reportOnOom(gone.resolve("oom.txt")).build();
        Files.delete(gone);
        long samples = HeapSampler.snapshot().totals().allocated().objects().samples();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapSampler.start(options))
                .withMessageContaining("whose folder does not exist");

        HeapSnapshot snapshot = HeapSampler.snapshot();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(HeapSampler.status().interval()).isEqualTo(40_000);
        assertThat(snapshot.interval()).isEqualTo(40_000);
        assertThat(snapshot.totals().allocated().objects().samples()).isEqualTo(samples);
        HeapSampler.start();
        assertThat(HeapSampler.status().intervalInForce()).isEqualTo(40_000);
    }

    @Test
    @Tag("J2")
    void otherLimitsWhileSamplesAreKeptAreRefused() {
        HeapSampler.start();
        HeapSampler.stop();

        assertThatIllegalStateException()
                .isThrownBy(() -> HeapSampler.start(SamplerOptions.builder().maxDepth(7).build()))
                .withMessageContaining("HeapSampler.reset()");
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
    }

    @Test
    @Tag("J19")
    void stopEndsSamplingAndKeepsTheData() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        allocate(100);
        HeapSampler.stop();
        allocate(1_000);

        assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(100);
        assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(100);
    }

    @Test
    @Tag("J25")
    void samplingGoesOnWhereItEndedAfterEachStart() {
        for (int round = 1; round <= 3; round++) {
            HeapSampler.start(SamplerOptions.builder().interval(0).build());
            allocate(50);
            assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(50 * round);
            HeapSampler.stop();
            allocate(50);
        }
    }

    @Test
    void resetForgetsAndSamplingGoesOn() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        allocate(100);
        HeapSampler.reset();
        allocate(7);

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(7);
    }

    @Test
    void resetWhenStoppedLeavesAnEmptySnapshotAndOlderOnesAlone() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        allocate(100);
        HeapSampler.stop();
        HeapSnapshot kept = HeapSampler.snapshot();
        HeapSampler.reset();

        assertThat(HeapSampler.snapshot().sites()).isEmpty();
        assertThat(HeapSampler.status().recordings()).isZero();
        assertThat(HeapSampler.status().tracked()).isZero();
        assertThat(objectsOf(kept, Marker.class)).isEqualTo(100);
    }

    @Test
    @Tag("J28")
    void resetWhenStoppedGivesNativeMemoryBack() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        allocate(1_000);
        long used = HeapSampler.status().memoryUsed();
        HeapSampler.stop();
        HeapSampler.reset();

        // What stays is a record of less than 5 KiB for each thread that was sampled and lives.
        long threads = ManagementFactory.getThreadMXBean().getPeakThreadCount();
        assertThat(HeapSampler.status().memoryUsed())
                .isLessThan(used)
                .isLessThan(PROCESS_BYTES + threads * 5 * 1024);
    }

    @Test
    @Tag("J2")
    void snapshotNeitherStopsNorResets() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        for (int i = 1; i <= 5; i++) {
            allocate(10);
            assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(10 * i);
        }
    }

    @Test
    void durationCountsOnlyTheTimeOfSampling() {
        HeapSampler.start();
        HeapSampler.stop();
        Duration atStop = HeapSampler.snapshot().duration();
        Await.untilNanos(System.nanoTime() + 200_000_000);

        HeapSnapshot later = HeapSampler.snapshot();
        assertThat(later.duration()).isEqualTo(atStop).isPositive();
        assertThat(Duration.between(later.startedAt(), later.takenAt()))
                .isGreaterThan(atStop.plusMillis(100));
    }

    @Test
    @Tag("J28")
    void statusReportsWhatTheEngineDoes() {
        HeapSampler.start(SamplerOptions.builder().interval(1024).build());
        SamplerStatus status;
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            allocate(1_000);
            status = HeapSampler.status();
            recording.stop();
        }

        assertThat(status.isSampling()).isTrue();
        assertThat(status.interval()).isEqualTo(1024);
        assertThat(status.intervalInForce()).isZero();
        assertThat(status.recordings()).isEqualTo(2);
        assertThat(status.samples()).isGreaterThanOrEqualTo(1_000);
        assertThat(status.tracked()).isPositive().isLessThanOrEqualTo(status.trackedBudget());
        assertThat(status.memoryUsed()).isPositive().isLessThanOrEqualTo(status.memoryPeak());
        assertThat(status.meanSampleCost())
                .isPositive()
                .isLessThanOrEqualTo(status.maxSampleCost());
        assertThat(status.vmName()).isEqualTo(System.getProperty("java.vm.name"));
        assertThat(status.toString()).contains("RUNNING");
    }

    @Test
    @Tag("J2")
    void itRunsUntilTheLastHoldIsGivenBack() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        SamplerHold hold = HeapSampler.share("state-test");
        assertThat(HeapSampler.status().holders()).containsExactly("application", "state-test");
        HeapSampler.stop();
        allocate(100);
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        hold.close();
        hold.close();
        allocate(100);

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(HeapSampler.status().holders()).isEmpty();
        assertThat(HeapSampler.status().isSampling()).isFalse();
        assertThat(HeapSampler.snapshot().totals().allocated().samples()).isPositive();
    }

    @Test
    @Tag("J28")
    void withoutTheApplicationTheMemoryGoesWithTheLastHold() {
        try (SamplerHold hold =
                HeapSampler.share(
                        "state-test", SamplerOptions.builder().interval(0).maxDepth(7).build())) {
            allocate(100);
            assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(100);
            assertThat(hold.isOpen()).isTrue();
        }

        assertThat(HeapSampler.snapshot().sites()).isEmpty();
        assertThat(HeapSampler.status().recordings()).isZero();
        HeapSampler.start(SamplerOptions.builder().maxDepth(128).build());
    }

    @Test
    @Tag("J4")
    void collectorIsTheOneOnTheCommandLine() {
        HeapSampler.start();

        assertThat(HeapSampler.status().collector()).isEqualTo(collectorAskedFor());
        assertThat(HeapSampler.snapshot().collector()).isEqualTo(collectorAskedFor());
    }

    @Test
    @Tag("J4")
    void whereNothingIsCollectedNothingIsConfirmed() {
        assumeTrue(HeapSampler.status().collector() == GarbageCollector.EPSILON, "only Epsilon");
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            allocate(10);
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());

            assertThat(snapshot.isAfterGc()).isFalse();
            assertThat(snapshot.totals().unconfirmed().samples()).isEqualTo(10);
            assertThat(snapshot.notes())
                    .extracting(Note::text)
                    .contains("Epsilon never collects, so everything stays unconfirmed.");
        }
    }

    private static GarbageCollector collectorAskedFor() {
        List<String> arguments = ManagementFactory.getRuntimeMXBean().getInputArguments();
        if (arguments.contains("-XX:+UseZGC")) {
            boolean generational =
                    arguments.contains("-XX:+ZGenerational") || Runtime.version().feature() >= 23;
            return generational ? GarbageCollector.Z_GENERATIONAL : GarbageCollector.Z;
        }
        if (arguments.contains("-XX:+UseShenandoahGC")) {
            return arguments.contains("-XX:ShenandoahGCMode=generational")
                    ? GarbageCollector.SHENANDOAH_GENERATIONAL
                    : GarbageCollector.SHENANDOAH;
        }
        for (GarbageCollector collector :
                List.of(
                        GarbageCollector.SERIAL,
                        GarbageCollector.PARALLEL,
                        GarbageCollector.G1,
                        GarbageCollector.EPSILON)) {
            if (arguments.stream()
                    .anyMatch(a -> a.equalsIgnoreCase("-XX:+Use" + collector + "GC"))) {
                return collector;
            }
        }
        return HeapSampler.status().collector(); // nothing was requested
    }
}
