// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.work;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.LabelTotals;
import io.heapsampler.RecordingOptions;
import java.util.Map;
import java.util.TreeMap;

/**
 * Code that allocates under labels, in a real recording. For the modules that label the requests of
 * a framework. In a package of its own: samples of classes of the library are dropped.
 */
public final class LabelledWork {

    private static final int PASSED_BYTES = 32 << 20;

    @SuppressWarnings("unused") // objects may not be optimised away
    private static volatile Object sink;

    private static final class Marker {}

    /** Code that calls {@link #allocate}. */
    public interface Code {

        /** Runs it. */
        void run() throws Exception;
    }

    private LabelledWork() {}

    /** Returns how many objects {@link #allocate} has made for each value of a label. */
    public static Map<String, Long> during(String key, Code code) throws Exception {
        RecordingOptions all =
                RecordingOptions.builder().interval(0).className(Marker.class.getName()).build();
        try (HeapRecording recording = HeapSampler.record(all)) {
            passOldSamplePoint();
            code.run();
            Map<String, Long> counts = new TreeMap<>();
            for (LabelTotals totals : recording.snapshot().labels(key)) {
                counts.put(totals.value(), totals.allocated().samples());
            }
            return counts;
        }
    }

    /** Makes objects that {@link #during} counts, in any thread. */
    public static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            sink = new Marker();
        }
    }

    /** Allocates until the interval of the recording is in force in this thread. */
    public static void passOldSamplePoint() {
        for (int done = 0; done < PASSED_BYTES; done += 1 << 20) {
            sink = new byte[1 << 20];
        }
    }
}
