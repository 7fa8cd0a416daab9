// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.doctor;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Shows tests what a doctor has seen, and what it knows. */
public final class Inside {

    private Inside() {}

    /** Returns the times of the ticks up to now, oldest first. */
    public static List<Long> ticks(GcDoctor doctor) {
        return times(doctor.timeline());
    }

    /** Writes the timeline up to now as a file. */
    public static void write(GcDoctor doctor, Path file) throws IOException {
        TimelineFile.write(doctor.timeline(), file);
    }

    /** Writes the timeline up to now. */
    public static void write(GcDoctor doctor, Writer out) throws IOException {
        TimelineFile.write(doctor.timeline(), out);
    }

    /** Returns the times of the ticks in a file. */
    public static List<Long> ticks(Path file) throws IOException {
        return times(TimelineFile.read(file));
    }

    /** By a loop: memory may have run out. */
    private static List<Long> times(Timeline timeline) {
        List<Long> times = new ArrayList<>();
        for (Tick tick : timeline.ticks()) {
            times.add(tick.atMillis());
        }
        return times;
    }

    /** Returns the causes of the collections in a file. */
    public static List<String> causes(Path file) throws IOException {
        return TimelineFile.read(file).collections().stream().map(GcEvent::cause).toList();
    }

    /** Returns what the doctor says of a cause; empty if it does not know it. */
    public static String meaning(String cause) {
        return Causes.meaning(cause);
    }
}
