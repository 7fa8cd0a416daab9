// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.support.Until;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The JVM that is watched for long: the same cycle of everything again and again, with the sampler
 * or with {@link NativeAgent} in its place, and the memory after each.
 */
public final class Soak {

    private static final int DEEP = 3_000;
    private static final int PATIENCE_SECONDS = 60;

    private final boolean isNobodys = Boolean.getBoolean("chaos.without");
    private final boolean isOurs = !Boolean.getBoolean("chaos.other") && !isNobodys;
    private final SplittableRandom random = new SplittableRandom(1);

    private long idle;

    /** Two for each block of the half that counts, and some. */
    private static final int LEAST_CYCLES = 60;

    private Soak() {}

    /**
     * Runs.
     *
     * @param arguments the seconds
     */
    public static void main(String[] arguments) throws Exception {
        new Soak().run(Long.parseLong(arguments[0]));
        System.exit(0);
    }

    private void run(long seconds) throws Exception {
        if (!isOurs && !isNobodys) {
            NativeAgent.load();
        }
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        for (int cycle = 0; cycle < LEAST_CYCLES || System.nanoTime() - end < 0; cycle++) {
            start();
            work();
            long running = isOurs ? watch() : 0;
            stop();
            Junk.forget();
            System.gc();
            waitForTheLastThread(cycle);
            System.out.printf(
                    "cycle=%d ms=%d rss=%d running=%d idle=%d%n",
                    cycle,
                    (System.nanoTime() - begin) / 1_000_000,
                    ProcFile.rss(),
                    running,
                    HeapSampler.status().memoryUsed());
        }
    }

    private void start() {
        if (isOurs) {
            Chaos.start();
        } else if (!isNobodys) {
            require(NativeAgent.takeSampling());
        }
    }

    private void stop() {
        if (isOurs) {
            HeapSampler.stop();
            HeapSampler.reset();
        } else if (!isNobodys) {
            require(NativeAgent.giveSamplingBack());
        }
    }

    private static void require(int error) {
        if (error != 0) {
            throw new IllegalStateException("JVMTI error " + error);
        }
    }

    /** A thread that has been joined may still be on its way out, and takes its memory with it. */
    private void waitForTheLastThread(int cycle) throws Exception {
        if (cycle == 0) {
            idle = HeapSampler.status().memoryUsed();
        }
        if (!Until.within(PATIENCE_SECONDS, () -> HeapSampler.status().memoryUsed() <= idle)) {
            idle = HeapSampler.status().memoryUsed(); // one more thread has had its first sample
        }
    }

    private void work() throws Exception {
        new ThreadChurn().run(50);
        new HiddenChurn().run(20);
        for (int i = 0; i < 3; i++) {
            new LoaderChurn().run(1);
        }
        Junk.make(random, 20_000);
        deep(DEEP);
        System.gc();
    }

    private long watch() {
        RecordingOptions all = RecordingOptions.builder().interval(0).build();
        try (HeapRecording recording = HeapSampler.record(all)) {
            Junk.make(random, 500);
            Control.check(recording.snapshot());
        }
        Control.check(HeapSampler.snapshot(SnapshotOptions.afterGc()));
        return HeapSampler.status().memoryUsed();
    }

    private static int deep(int depth) {
        Junk.keep(depth, new byte[16]);
        return depth == 0 ? 0 : deep(depth - 1) + 1;
    }
}
