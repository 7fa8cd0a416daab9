// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.VmInfo;
import io.heapsampler.internal.shared.FullCollection;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.AssertionFailedError;

/** The collection of a class histogram serves the snapshot that follows. */
@Isolated
class FullCollectionTest {

    /** Small, and as large as what Serial, Parallel and G1 may put into the old generation. */
    private static final int[] SIZES = {100, 2 << 20};

    private HeapRecording recording;

    @BeforeEach
    void begin() {
        Collections.assumeCollections();
        histogram();
        Sink.forget(); // both load classes
        recording =
                HeapSampler.record(
                        RecordingOptions.builder()
                                .interval(0)
                                .thread(Thread.currentThread())
                                .className("byte[]")
                                .build());
    }

    @AfterEach
    void end() {
        if (recording != null) {
            recording.close();
        }
        Sink.forget();
    }

    private static void histogram() {
        try {
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void keep() {
        keepEach(SIZES);
    }

    /** Large alone: a young collection may confirm a small one. */
    private static void keepLate() {
        keepEach(2 << 20);
    }

    private static void keepEach(int... sizes) {
        for (int size : sizes) {
            Sink.LEAK.add(new byte[size]);
        }
    }

    private static List<Liveness> ofKept(HeapSnapshot snapshot, String method) {
        return snapshot.samples().stream()
                .filter(sample -> isIn(sample, method))
                .map(HeapSample::liveness)
                .toList();
    }

    private static boolean isIn(HeapSample sample, String method) {
        return sample.stack().stream()
                .anyMatch(
                        frame ->
                                frame.className().equals(FullCollectionTest.class.getName())
                                        && frame.methodName().equals(method));
    }

    private static void requireFullCollections() {
        assumeTrue(VmInfo.fullCollections() >= 0, "this collector works beside the application");
    }

    @Test
    void snapshotAfterAHistogramCollectsNothing() {
        requireFullCollections();
        keep();
        FullCollection collection = FullCollection.expect(recording);
        long before = VmInfo.fullCollections();
        histogram();
        keepLate();
        HeapSnapshot snapshot = collection.snapshot();

        assertThat(VmInfo.fullCollections()).isEqualTo(before + 1);
        assertThat(snapshot.isAfterGc()).isTrue();
        assertThat(ofKept(snapshot, "keep")).containsExactly(Liveness.LIVE, Liveness.LIVE);
        assertThat(ofKept(snapshot, "keepLate"))
                .as("no full collection has seen it")
                .containsExactly(Liveness.UNCONFIRMED);
    }

    @Test
    void snapshotSeesWhatTheHistogramsCollectionFreed() {
        keep();
        recording.snapshot(SnapshotOptions.afterGc()); // promotes them
        Sink.forget();
        FullCollection collection = FullCollection.expect(recording);
        histogram();

        assertThat(ofKept(collection.snapshot(), "keep")).containsOnly(Liveness.DEAD);
    }

    @Test
    void snapshotCollectsIfNothingElseDid() {
        keep();
        FullCollection collection = FullCollection.expect(recording);
        long before = VmInfo.fullCollections();
        HeapSnapshot snapshot = collection.snapshot();

        assertThat(snapshot.isAfterGc()).isTrue();
        assertThat(ofKept(snapshot, "keep")).containsOnly(Liveness.LIVE);
        assertThat(VmInfo.fullCollections()).isEqualTo(before < 0 ? before : before + 1);
    }

    /** Six of the collections are for the looks of the proof; with two a look there were 18. */
    @Test
    void lookOfAProofCollectsOnce() {
        requireFullCollections();
        long before = VmInfo.fullCollections();
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.LEAK.add(new byte[2_000]))
                                        .iterations(5)
                                        .leaksAtMost("0 B"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("leaks: ");

        assertThat(VmInfo.fullCollections() - before).isBetween(6L, 14L);
    }

    /** As before: six looks of the proof, and five others. */
    @Test
    void lookAtClassLoadersCollectsOnce() {
        requireFullCollections();
        long before = VmInfo.fullCollections();
        assertThatThrownBy(
                        () ->
                                Plugins.deploying(() -> Sink.LEAK.add(Plugins.open()))
                                        .holders(false)
                                        .leavesNoClassLoader())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("leaves class loaders behind: ");

        assertThat(VmInfo.fullCollections() - before).isBetween(6L, 14L);
    }
}
