// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.support.Until;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The JVM whose surroundings are compared: before the sampler is loaded, while it runs, after. */
public final class Isolation {

    /**
     * All that a running sampler may add: its thread, which to the system has its creator's name.
     */
    private static final int PATIENCE_SECONDS = 60;

    private static final Map<String, String> OWN_THREAD =
            Map.of(
                    "threads", "{HeapSampler=1, main=1}",
                    "system threads", "{java=3}");

    private Isolation() {}

    /** Compares and prints what has changed. */
    public static void main(String[] arguments) throws Exception {
        NativeAgent.load();
        Class.forName(Chaos.class.getName());
        Class.forName(Control.class.getName());
        work(false);
        // Loads what it takes to look.
        Surroundings.now();
        lookUntilSame("beforehand", Surroundings.now(), Map.of(), new ArrayList<>());
        Map<String, String> before = Surroundings.now();
        work(true);
        List<String> changes = new ArrayList<>();
        HeapSampler.start();
        lookUntilSame("while it runs", before, OWN_THREAD, changes);
        HeapSampler.stop();
        HeapSampler.reset();
        lookUntilSame("afterwards", before, Map.of(), changes);
        changes.forEach(System.out::println);
        System.out.println("isolation compared=" + before.size() + " changes=" + changes.size());
        System.exit(changes.isEmpty() ? 0 : 1);
    }

    private static void work(boolean isSampled) {
        if (isSampled) {
            Chaos.start();
        }
        Junk.make(new SplittableRandom(1), 10_000);
        if (isSampled) {
            RecordingOptions all = RecordingOptions.builder().interval(0).build();
            try (HeapRecording recording = HeapSampler.record(all)) {
                Control.check(recording.snapshot());
            }
            Control.check(HeapSampler.snapshot(SnapshotOptions.afterGc()));
            HeapSampler.stop();
            HeapSampler.start();
        }
    }

    /** The system may still list a thread that has been joined; a lasting change is found. */
    private static void lookUntilSame(
            String when,
            Map<String, String> before,
            Map<String, String> running,
            List<String> changes)
            throws Exception {
        List<String> last = new ArrayList<>();
        Until.within(
                PATIENCE_SECONDS,
                () -> {
                    last.clear();
                    compare(when, before, Surroundings.now(), running, last);
                    return last.isEmpty();
                });
        changes.addAll(last);
    }

    private static void compare(
            String when,
            Map<String, String> before,
            Map<String, String> after,
            Map<String, String> running,
            List<String> changes) {
        before.forEach(
                (name, text) -> {
                    String now = after.getOrDefault(name, "");
                    String expected = running.getOrDefault(name, text);
                    if (!expected.equals(now)) {
                        changes.add(name + " " + when + ":\n  was " + expected + "\n  is  " + now);
                    }
                });
    }
}
