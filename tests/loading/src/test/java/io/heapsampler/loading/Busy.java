// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs in a forked JVM: samples heavily from several daemon threads, then ends as it is told to.
 */
public final class Busy {

    static final int CODE = 7;

    private static final int THREADS = 3;
    private static final long SAMPLES = 5_000;

    private static volatile Object sink;

    private Busy() {}

    public static void main(String[] args) throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(Long.parseLong(args[1])).build());
        for (int i = 0; i < THREADS; i++) {
            daemon("allocator-" + i, Busy::allocate);
        }
        while (HeapSampler.status().samples() < SAMPLES) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        switch (args[0]) {
            case "return" -> {}
            case "exit" -> System.exit(CODE);
            case "halt" -> Runtime.getRuntime().halt(CODE);
            case "throw" -> throw new IllegalStateException("as told");
            case "terminate" -> terminate();
            case "exit-while-controlled" -> exitWhileControlled();
            case "stop-in-hook" -> exitWith(Busy::stop);
            case "snapshot-in-hook" -> exitWith(Busy::snapshot);
            case "stop-after-main" -> stopAfterMain();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void allocate() {
        for (int i = 0; true; i++) {
            sink = i % 2 == 0 ? new byte[i % 1024] : deeper(i % 32);
        }
    }

    private static Object deeper(int depth) {
        return depth == 0 ? new Object[4] : deeper(depth - 1);
    }

    private static void terminate() throws Exception {
        String pid = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-TERM", pid).inheritIO().start().waitFor();
        LockSupport.park();
    }

    /** Daemon threads start, stop and ask, and are cut off in the middle of it. */
    private static void exitWhileControlled() {
        daemon("switcher", () -> control(Busy::onAndOff));
        daemon("asker", () -> control(() -> HeapSampler.snapshot(SnapshotOptions.afterGc())));
        for (int i = 0; i < 20; i++) {
            HeapSampler.snapshot();
        }
        System.exit(CODE);
    }

    private static void onAndOff() {
        HeapSampler.stop();
        HeapSampler.start();
    }

    private static void control(Runnable work) {
        try {
            while (true) {
                work.run();
            }
        } catch (HeapSamplingUnavailableException e) {
            if (e.reason() != Reason.SHUTTING_DOWN) {
                throw e;
            }
        }
    }

    private static void exitWith(Runnable hook) {
        Runtime.getRuntime().addShutdownHook(new Thread(hook, "hook"));
        System.exit(CODE);
    }

    private static void stop() {
        HeapSampler.stop();
        System.out.println("state=" + HeapSampler.status().state());
        System.out.println("sampling=" + HeapSampler.status().isSampling());
    }

    private static void snapshot() {
        long samples = HeapSampler.snapshot(SnapshotOptions.afterGc()).samples().size();
        System.out.println("samples=" + (samples > 0));
    }

    /** The last thread that is no daemon stops the sampler when main is gone. */
    private static void stopAfterMain() {
        Thread main = Thread.currentThread();
        Thread last =
                new Thread(
                        () -> {
                            join(main);
                            stop();
                        },
                        "last");
        last.start();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
