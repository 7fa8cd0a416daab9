// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import java.util.List;

/** The JVM of {@link SmallBuffersTest}: arrays of one size, and what a recording says of them. */
public final class SmallBuffers {

    private SmallBuffers() {}

    /**
     * Runs, and prints the allocated bytes, the estimate and the notes.
     *
     * @param arguments how many arrays of how many bytes, and the interval
     */
    public static void main(String[] arguments) {
        long count = Long.parseLong(arguments[0]);
        int size = Integer.parseInt(arguments[1]);
        Allocator.garbage(20_000, size); // what is compiled later moves nothing
        try (HeapRecording recording = Sums.ofThisThread(Long.parseLong(arguments[2]))) {
            Allocator.garbage(count, size);
            HeapSnapshot snapshot = recording.snapshot();
            print(Sums.allocated(snapshot, Allocator.class, "garbage").bytes().value());
            print(snapshot.notes());
        }
    }

    private static void print(double bytes) {
        System.out.println("estimated=" + bytes);
    }

    private static void print(List<Note> notes) {
        notes.forEach(note -> System.out.println("note=" + note));
    }
}
