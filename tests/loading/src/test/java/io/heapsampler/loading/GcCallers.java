// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.HeapSampler;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.shared.GcCalls;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.Predicate;

/**
 * Runs in a forked JVM: takes the steps that its arguments name, each of which ends with a call of
 * {@code System.gc()}, and prints of each seen call its first frame that is not the JDK's, or else
 * its last frame.
 */
public final class GcCallers {

    private static final int MANY = 1_000;

    private GcCallers() {}

    public static void main(String[] steps) throws Exception {
        GcCalls calls = new GcCalls();
        for (String step : steps) {
            take(step);
            while (calls.advance()) {
                System.out.println(step + "=" + caller(calls));
            }
        }
        System.out.println("done=" + steps.length);
    }

    private static String caller(GcCalls calls) {
        if (calls.tookMicros() < 0 || calls.agoMicros() < calls.tookMicros()) {
            return "a wrong time: " + calls.agoMicros() + ", " + calls.tookMicros();
        }
        Predicate<String> isJdk = frame -> frame.matches("(java|jdk|sun|com\\.sun)\\..*");
        return calls.stack().stream()
                .filter(isJdk.negate())
                .findFirst()
                .orElseGet(() -> calls.stack().get(calls.stack().size() - 1));
    }

    private static void take(String step) throws Exception {
        switch (step) {
            case "start" -> HeapSampler.start();
            case "stop" -> HeapSampler.stop();
            case "system" -> system();
            case "runtime" -> Runtime.getRuntime().gc();
            case "bean" -> ManagementFactory.getMemoryMXBean().gc();
            case "reflection" -> GcCallers.class.getDeclaredMethod("system").invoke(null);
            case "virtual" -> onVirtualThread(GcCallers::system);
            case "forced" -> HeapSampler.snapshot(SnapshotOptions.afterGc());
            case "direct" -> fillDirectMemory();
            case "often" -> {
                for (int i = 0; i < MANY; i++) {
                    system();
                }
            }
            default -> throw new IllegalArgumentException(step);
        }
    }

    static void system() {
        System.gc();
    }

    /** The classes of the tests' support are not on the class path. */
    private static void onVirtualThread(Runnable work) throws Exception {
        Object thread =
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        ((Thread) thread).join();
    }

    private static void fillDirectMemory() {
        try {
            ByteBuffer first = ByteBuffer.allocateDirect(1 << 20);
            ByteBuffer second = ByteBuffer.allocateDirect(1 << 20);
            System.out.println("no limit: " + first + second);
        } catch (OutOfMemoryError e) {
            System.out.println("limit=reached");
        }
    }
}
