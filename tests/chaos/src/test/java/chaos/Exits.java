// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.support.Until;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** The JVM that ends: samples heavily from several threads, then goes as it is told to. */
public final class Exits {

    private static final int ALLOCATORS = 2;
    private static final long SAMPLES = 2_000;
    private static final int PATIENCE_SECONDS = 120;

    private Exits() {}

    /**
     * Ends.
     *
     * @param arguments the label of the {@link Ending}
     */
    public static void main(String[] arguments) throws Exception {
        Ending ending = Ending.of(arguments[0]);
        if (ending == Ending.NEVER_STARTED) {
            HeapSampler.snapshot();
            HeapSampler.stop();
            System.exit(Ending.CODE);
        }
        Chaos.start();
        for (int i = 0; i < ALLOCATORS; i++) {
            SplittableRandom random = new SplittableRandom(i);
            daemon("allocator " + i, () -> Junk.make(random, 100));
        }
        if (!Until.within(PATIENCE_SECONDS, () -> HeapSampler.status().samples() > SAMPLES)) {
            throw new IllegalStateException("too few samples");
        }
        System.out.println("ending=" + ending.label());
        end(ending);
    }

    private static void end(Ending ending) throws Exception {
        switch (ending) {
            case NEVER_STARTED, RETURN -> {}
            case EXIT -> System.exit(Ending.CODE);
            case STOPPED -> exitAfter(HeapSampler::stop);
            case RESET ->
                    exitAfter(
                            () -> {
                                HeapSampler.stop();
                                HeapSampler.reset();
                            });
            case RECORDING -> exitWhileRecording();
            case IN_SNAPSHOT -> exitDuring(HeapSampler::snapshot);
            case IN_FORCED_COLLECTION ->
                    exitDuring(() -> HeapSampler.snapshot(SnapshotOptions.afterGc()));
            case IN_START_AND_STOP -> exitDuring(Exits::onAndOff);
            case STOP_IN_HOOK -> exitWith(Exits::stop);
            case START_IN_HOOK -> exitWith(() -> tolerant(Exits::onAndOff));
            case EXIT_IN_HOOK -> exitInHook();
            case HALT -> Runtime.getRuntime().halt(Ending.CODE);
            case HALT_IN_HOOK -> exitWith(() -> Runtime.getRuntime().halt(Ending.CODE + 1));
            case UNCAUGHT -> throw new IllegalStateException("as told");
            case OUT_OF_MEMORY -> fillTheHeap();
            case TERMINATED, KILLED -> LockSupport.park(); // the parent does it
            case KILLED_IN_START_AND_STOP -> during(Exits::onAndOff);
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread =
                new Thread(
                        () -> {
                            while (true) {
                                work.run();
                            }
                        },
                        name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void exitAfter(Runnable last) {
        last.run();
        System.exit(Ending.CODE);
    }

    private static void exitWhileRecording() {
        HeapRecording open = HeapSampler.record(RecordingOptions.builder().interval(0).build());
        Junk.make(new SplittableRandom(5), 1_000);
        Junk.keep(0, open);
        System.exit(Ending.CODE);
    }

    /** Threads are cut off in the middle of the work. */
    private static void exitDuring(Runnable work) {
        daemon("busy 1", () -> tolerant(work));
        daemon("busy 2", () -> tolerant(work));
        for (int i = 0; i < 10; i++) {
            work.run();
        }
        System.exit(Ending.CODE);
    }

    private static void during(Runnable work) {
        while (true) {
            work.run();
        }
    }

    private static void exitWith(Runnable hook) {
        Runtime.getRuntime().addShutdownHook(new Thread(hook, "hook"));
        System.exit(Ending.CODE);
    }

    private static void onAndOff() {
        HeapSampler.stop();
        HeapSampler.start();
    }

    private static void stop() {
        HeapSampler.snapshot();
        HeapSampler.stop();
        HeapSampler.reset();
        if (HeapSampler.status().isSampling()) {
            Runtime.getRuntime().halt(1);
        }
    }

    /** By its contract a second exit blocks forever; the JVM must still answer and be halted. */
    private static void exitInHook() {
        Thread hook = new Thread(() -> System.exit(Ending.CODE + 1), "hook");
        daemon("watch", () -> haltOnceBlocked(hook));
        Runtime.getRuntime().addShutdownHook(hook);
        System.exit(Ending.CODE);
    }

    private static void haltOnceBlocked(Thread hook) {
        Thread.State state = hook.getState();
        if (state == Thread.State.BLOCKED || state == Thread.State.WAITING) {
            HeapSampler.snapshot();
            onAndOff();
            Runtime.getRuntime().halt(Ending.CODE + 1);
        }
    }

    private static void tolerant(Runnable work) {
        try {
            work.run();
        } catch (HeapSamplingUnavailableException e) {
            if (e.reason() != Reason.SHUTTING_DOWN) {
                throw e;
            }
        }
    }

    private static void fillTheHeap() {
        List<Object> all = new ArrayList<>();
        while (true) {
            all.add(new byte[1 << 16]);
        }
    }
}
