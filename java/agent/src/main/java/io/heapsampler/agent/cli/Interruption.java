// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.internal.shared.DaemonThreads;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command finish early on Ctrl+C instead of losing its work: its wait ends, and the JVM ends
 * only when this is closed, or after a minute. If the target does not answer in time, the
 * connection is closed, so that the command fails instead of keeping the JVM.
 */
final class Interruption implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final Target target;
    private final PrintWriter err;
    private final Duration answerTime;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = DaemonThreads.of(this::holdUp, "heapsampler-interruption");

    private Interruption(Target target, PrintWriter err, Duration answerTime) {
        this.target = target;
        this.err = err;
        this.answerTime = answerTime;
    }

    /**
     * Begins to wait for Ctrl+C, or any other end of this JVM. Before that, Ctrl+C ends the command
     * at once.
     *
     * @param target does the work, and answers when the wait is over
     * @param err where to say that it does not
     * @param answerTime how long after Ctrl+C the target may take to answer
     */
    static Interruption await(Target target, PrintWriter err, Duration answerTime) {
        Interruption interruption = new Interruption(target, err, answerTime);
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        err.println("Ctrl+C ends the wait early.");
        err.flush();
        return interruption;
    }

    private void holdUp() {
        begun.countDown();
        try {
            if (!finished.await(answerTime.toMillis(), TimeUnit.MILLISECONDS)) {
                if (target.isWaiting()) {
                    err.println("The JVM has not answered in time after Ctrl+C. Is it stopped?");
                    err.flush();
                    target.close();
                }
                finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
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
