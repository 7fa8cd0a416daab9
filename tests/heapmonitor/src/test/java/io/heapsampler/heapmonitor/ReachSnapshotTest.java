// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Reached.LONG;
import static io.heapsampler.heapmonitor.Reached.OPTIONS;
import static io.heapsampler.heapmonitor.Reached.hold;
import static io.heapsampler.heapmonitor.Reached.last;
import static io.heapsampler.heapmonitor.Reached.reachIn;
import static io.heapsampler.heapmonitor.Reached.reachOf;
import static io.heapsampler.heapmonitor.Reached.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.heapmonitor.Reached.Thing;
import io.heapsampler.internal.shared.HeapReach;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The snapshot that knows how its objects are reachable: its limits, its file, its price. */
@ExtendWith(CleanSampler.class)
class ReachSnapshotTest {

    @Test
    void weaklyReachableObjectsAndGarbageAreNeither() {
        List<HeapReach> reach = List.of(HeapReach.UNKNOWN);
        // Without a collection both are there; after one in the middle, the test tries again.
        for (int i = 0; i < 100 && reach.contains(HeapReach.UNKNOWN); i++) {
            try (HeapRecording recording = Recordings.exact(Thing.class)) {
                hold(() -> new WeakReference<>(new Thing()));
                hold(Thing::new);
                release();
                reach = reachIn(HeapReach.snapshot(recording, SnapshotOptions.defaults(), LONG));
            }
        }
        assertThat(reach).containsExactly(HeapReach.NONE, HeapReach.NONE);
    }

    @Test
    void aWalkThatTakesTooLongSaysSo() {
        HeapSnapshot snapshot;
        try (HeapRecording recording = Recordings.exact(Thing.class)) {
            hold(() -> new SoftReference<>(new Thing()));
            snapshot = HeapReach.snapshot(recording, OPTIONS, Duration.ofNanos(1000));
        }
        assertThat(reachIn(snapshot)).containsExactly(HeapReach.UNKNOWN);
        assertThatThrownBy(
                        () -> {
                            try (HeapRecording recording = Recordings.exact(Thing.class)) {
                                HeapReach.snapshot(recording, OPTIONS, Duration.ZERO);
                            }
                        })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The longest pause is PT0S. Give one above 1 microsecond.");
    }

    @Test
    void anOrdinarySnapshotDoesNotSay() {
        try (HeapRecording recording = Recordings.exact(Thing.class)) {
            hold(Thing::new);
            assertThat(reachIn(recording.snapshot(OPTIONS))).containsExactly(HeapReach.UNKNOWN);
        }
    }

    @Test
    void aFileSaysItToo() throws Exception {
        assertThat(reachOf(() -> new SoftReference<>(new Thing()))).containsExactly(HeapReach.SOFT);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        last().writeTo(file);
        HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(file.toByteArray()));
        assertThat(reachIn(read)).containsExactly(HeapReach.SOFT);
    }

    @Test
    void nothingStaysBehind() {
        try (HeapRecording recording = Recordings.exact(Thing.class)) {
            hold(() -> new SoftReference<>(new Thing()));
            HeapReach.snapshot(recording, SnapshotOptions.defaults(), LONG);
            long before = HeapSampler.status().memoryUsed();
            for (int i = 0; i < 20; i++) {
                HeapReach.snapshot(recording, SnapshotOptions.defaults(), LONG);
            }
            // A table of states has a byte for each place; another thread's record is smaller.
            assertThat(HeapSampler.status().memoryUsed()).isLessThan(before + 4_096);
        }
    }
}
