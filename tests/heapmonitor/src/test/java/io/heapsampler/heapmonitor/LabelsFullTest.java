// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.Note;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** More sets of labels than there is room for. */
@ExtendWith(CleanSampler.class)
class LabelsFullTest {

    private static final class Marker {}

    /** The dead sets of a test before may fill the table until a collection finds them. */
    private static void untilASetHasRoom(Runnable before) throws Exception {
        Await.until(
                "room for a set",
                () -> {
                    before.run();
                    System.gc();
                    HeapSnapshot snapshot =
                            Recordings.during(
                                    () ->
                                            HeapLabels.of("user", "late")
                                                    .run(() -> Work.sink = new Marker()),
                                    Marker.class);
                    return snapshot.labels("user").get(0).value().equals("late");
                });
    }

    @Test
    void aHundredThousandValuesAreBoundedAndCounted() throws Exception {
        Await.assumeCollections(); // without them the next test would find the table full
        int values = 100_000;
        long memory = HeapSampler.status().memoryUsed();
        HeapSnapshot snapshot;
        List<HeapLabels> alive = new ArrayList<>();
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            for (int i = 0; i < values; i++) {
                HeapLabels labels = HeapLabels.of("user", "id-" + i);
                alive.add(labels);
                labels.run(() -> Work.sink = new Marker());
            }
            snapshot = recording.snapshot();
            assertThat(HeapSampler.status().memoryUsed() - memory).isLessThan(64 << 20);
        }

        List<LabelTotals> users = snapshot.labels("user");
        assertThat(users).hasSizeLessThan(4_200);
        LabelTotals other = users.stream().filter(LabelTotals::isOther).findAny().orElseThrow();
        assertThat(other.allocated().samples()).isGreaterThan(values - 4_200);
        assertThat(users.stream().mapToLong(user -> user.allocated().samples()).sum())
                .isEqualTo(values);
        assertThat(snapshot.totals().allocated().samples()).isEqualTo(values);
        assertThat(snapshot.dropped().get(DropCause.LABELS_FULL))
                .isEqualTo(other.allocated().samples());
        assertThat(snapshot.notes())
                .filteredOn(note -> note.id().equals("labels-full"))
                .extracting(Note::text)
                .singleElement()
                .asString()
                .contains(" " + other.allocated().samples() + " times")
                .endsWith("ids do not belong in labels.");
        assertThat(Recordings.objectsOf(snapshot, Marker.class)).isEqualTo(values);
        alive.clear();
        untilASetHasRoom(() -> {});
    }

    @Test
    void setsThatAreNoLongerUsedMakeRoomForOthers() throws Exception {
        Await.assumeCollections();
        untilASetHasRoom(
                () -> {
                    for (int i = 0; i < 20_000; i++) {
                        HeapLabels.of("user", "passing-" + i).open().close();
                    }
                });
    }
}
