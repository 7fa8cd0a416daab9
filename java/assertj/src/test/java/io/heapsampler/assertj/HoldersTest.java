// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The end of a message: which references hold live objects. */
class HoldersTest {

    private static final String MILLIS = "heapsampler.holders.millis";

    private static final String HELD =
            """

            Held by: 99.2 KiB live in 100 samples, 100 % with a holder (walked in ..., longest pause ... ms)
              ╰─ 100 %, 99.2 KiB: static field io.heapsampler.assertj.HoldersTest.KEPT
                                  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ would free 99.2 KiB
                 ↓ element of ArrayList
                 ╰→ long[] allocated at io.heapsampler.assertj.HoldersTest.keep(HoldersTest.java:...)\
            """;

    static final List<Object> KEPT = new ArrayList<>(10_000);

    @BeforeEach
    void begin() {
        KEPT.clear();
        System.setProperty(MILLIS, "60000"); // where many builds share the cores
    }

    @AfterEach
    void end() {
        KEPT.clear();
        System.clearProperty(MILLIS);
    }

    private static void keep() {
        for (int i = 0; i < 100; i++) {
            KEPT.add(new long[125]);
        }
    }

    private static HeapRecording record() {
        return HeapSampler.record(
                RecordingOptions.builder()
                        .interval(0)
                        .className(long[].class)
                        .thread(Thread.currentThread())
                        .build());
    }

    private static HeapSnapshot look(HeapRecording recording) {
        return recording.snapshot(SnapshotOptions.afterGc());
    }

    private static String message(ThrowingCallable assertion) {
        Throwable error = catchThrowable(assertion);
        assertThat(error).isInstanceOf(AssertionError.class);
        return error.getMessage()
                .replaceAll(
                        "walked in [^,]*, longest pause [\\d.]+ ms",
                        "walked in ..., longest pause ... ms")
                .replaceAll("java:\\d+\\)$", "java:...)");
    }

    @Test
    void aBrokenLimitShowsThem() {
        try (HeapRecording recording = record()) {
            keep();
            HeapSnapshot snapshot = look(recording);

            assertThat(message(() -> assertThat(snapshot).leavesBehindAtMost("9 KB")))
                    .endsWith(HELD);
            assertThat(message(() -> assertThat(snapshot).hasLiveObjectsAtMost(9))).endsWith(HELD);
            assertThat(message(() -> assertThat(snapshot).allocatesAtMost("9 KB")))
                    .doesNotContain("Held by");
            assertThat(message(() -> assertThat(snapshot).hasLiveObjectsAtLeast(999)))
                    .doesNotContain("Held by");
        }
    }

    @Test
    void growthShowsThem() {
        try (HeapRecording recording = record()) {
            HeapSnapshot before = look(recording);
            keep();
            HeapSnapshot after = look(recording);

            assertThat(message(() -> assertThat(after.diff(before)).hasNoGrowingSites()))
                    .endsWith(HELD);
            assertThat(message(() -> assertThat(after.diff(before)).hasGrownByAtMost("1 KB")))
                    .endsWith(HELD);
        }
    }

    @Test
    void growthOverSeveralSnapshotsShowsThem() {
        try (HeapRecording recording = record()) {
            List<HeapSnapshot> snapshots = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                keep();
                snapshots.add(look(recording));
            }

            assertThat(message(() -> assertThat(HeapGrowth.of(snapshots)).hasNoGrowingSites()))
                    .contains("\nHeld by: ")
                    .contains("static field io.heapsampler.assertj.HoldersTest.KEPT");
        }
    }

    @Test
    void theyCanBeTurnedOff() {
        try (HeapRecording recording = record()) {
            keep();
            HeapSnapshot snapshot = look(recording);
            String off =
                    message(
                            () ->
                                    assertThat(snapshot)
                                            .holders(false)
                                            .siteAt(HoldersTest.class, "keep")
                                            .leavesBehindAtMost("9 KB"));
            String on =
                    message(
                            () ->
                                    assertThat(snapshot)
                                            .siteAt(HoldersTest.class, "keep")
                                            .leavesBehindAtMost("9 KB"));
            System.setProperty(MILLIS, "0");

            assertThat(on).isEqualTo(off + HELD);
            assertThat(message(() -> assertThat(snapshot).leavesBehindAtMost("9 KB")))
                    .doesNotContain("Held by");
        }
    }

    @Test
    void aSnapshotFromAFileHasNone() throws IOException {
        try (HeapRecording recording = record()) {
            keep();
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            look(recording).writeTo(file);
            HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(file.toByteArray()));

            assertThat(message(() -> assertThat(read).leavesBehindAtMost("9 KB")))
                    .contains("What helps")
                    .doesNotContain("Held by");
        }
    }
}
