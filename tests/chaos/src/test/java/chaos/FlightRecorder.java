// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/**
 * JFR with its own allocation samples and old objects, started, stopped and dumped beside the
 * sampler; the amount is the seconds.
 */
final class FlightRecorder implements Scenario {

    private static final String[] EVENTS = {
        "jdk.ObjectAllocationSample",
        "jdk.ObjectAllocationInNewTLAB",
        "jdk.ObjectAllocationOutsideTLAB",
        "jdk.OldObjectSample",
        "jdk.GarbageCollection",
        "jdk.ExecutionSample"
    };

    private final AtomicLong events = new AtomicLong();
    private final AtomicLong recordings = new AtomicLong();

    /** What JFR itself opens and keeps is there from the first recording on. */
    FlightRecorder() throws Exception {
        record();
        events.set(0);
    }

    @Override
    public String run(long amount) throws Exception {
        try (Crew crew = new Crew()) {
            for (int i = 0; i < 2; i++) {
                SplittableRandom random = new SplittableRandom(i);
                crew.repeat("allocator " + i, () -> Junk.make(random, 1_000));
            }
            crew.repeat("flight recorder", this::record);
            crew.repeat("switcher", FlightRecorder::onAndOff);
            crew.workFor(amount);
        }
        if (events.get() == 0) {
            throw new IllegalStateException("JFR has recorded nothing");
        }
        return "recordings=" + recordings + " events=" + events;
    }

    private static void onAndOff() {
        HeapSampler.stop();
        Junk.make(new SplittableRandom(1), 2_000);
        HeapSampler.start();
        Control.check(HeapSampler.snapshot());
    }

    private void record() throws Exception {
        Path file = Files.createTempFile("chaos", ".jfr");
        try (Recording recording = new Recording()) {
            for (String event : EVENTS) {
                recording.enable(event).withStackTrace();
            }
            recording.start();
            Junk.make(new SplittableRandom(5), 20_000);
            recording.dump(file);
            recording.stop();
        }
        events.addAndGet(RecordingFile.readAllEvents(file).size());
        recordings.incrementAndGet();
        Files.delete(file);
    }
}
