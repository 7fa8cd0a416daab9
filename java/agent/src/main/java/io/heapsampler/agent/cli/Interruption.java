// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.internal.shared.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command finish early on Ctrl+C instead of losing its work: its wait ends, and the JVM ends
 * only when this is closed, or after a minute.
 */
final class Interruption implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = DaemonThreads.of(this::holdUp, "heapsampler-interruption");

    private Interruption() {}

    /** Begins to wait for Ctrl+C, or any other end of this JVM. */
    static Interruption await() {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    private void holdUp() {
        begun.countDown();
        try {
            finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a time; returns true at once when the JVM is ending. */
    boolean cutsShort(Duration time) {
        try {
            return begun.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending: the hook has done its work.
        }
    }
}
