// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.export.Exports;
import io.heapsampler.export.Format;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An agent at work: it samples, and a daemon thread of its own writes. It ends by {@link #detach()}
 * or with the JVM, whose end it holds up no longer than the options allow.
 */
final class RunningAgent {

    /** Writing takes at most so much of the time of one processor, where it may wait. */
    private static final int SHARE = 100;

    private final AgentOptions options;
    private final Sampling sampling;
    private final Thread writer = new Thread(this::run, "heapsampler-agent");
    private final Thread exitHook = new Thread(this::atExit, "heapsampler-agent-exit");

    /** Guarded by this. */
    private boolean isEnding;

    private @Nullable Web web;
    private long writtenSamples = -1;
    private long writtenCollections = -1;

    private RunningAgent(AgentOptions options) {
        this.options = options;
        this.sampling = new Sampling(options);
    }

    /**
     * Starts an agent. Sampling begins before this returns, unless it is to be delayed.
     *
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled
     * @throws IOException if the port cannot be had; then nothing stays
     */
    static RunningAgent start(AgentOptions options) throws IOException {
        RunningAgent agent = new RunningAgent(options);
        if (options.httpPort.isPresent()) {
            agent.web = Web.start(options);
        }
        try {
            if (options.delay.isZero()) {
                agent.sampling.start();
            }
        } catch (RuntimeException e) {
            agent.closeWeb();
            throw e;
        }
        agent.writer.setDaemon(true);
        agent.writer.start();
        Runtime.getRuntime().addShutdownHook(agent.exitHook);
        return agent;
    }

    // --- The writer's thread ---------------------------------------------------------------------

    private void run() {
        if (!options.delay.isZero()) {
            waitFor(options.delay);
            if (isEnding() || !startLater()) {
                return;
            }
        }
        Recorder recorder = Recorder.of(options);
        Duration pause = options.outputInterval;
        while (!waitFor(pause)) {
            long begin = System.nanoTime();
            if (hasNews()) {
                write(recorder, false);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            Duration rest = took.multipliedBy(SHARE);
            boolean isLong = recorder.mayWait() && rest.compareTo(options.outputInterval) > 0;
            pause = isLong ? rest : options.outputInterval;
        }
        write(recorder, true);
    }

    private boolean startLater() {
        try {
            sampling.start();
            return true;
        } catch (HeapSamplingUnavailableException e) {
            AgentLog.warn("HeapSampler does not sample: " + e.getMessage());
            return false;
        }
    }

    /** Returns true as soon as the agent is to end, else false after the time. */
    private synchronized boolean waitFor(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (!isEnding) {
            long rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (rest <= 0) {
                return false;
            }
            try {
                wait(rest);
            } catch (InterruptedException e) {
                isEnding = true; // Nobody does that but to end this thread.
            }
        }
        return true;
    }

    private boolean hasNews() {
        SamplerStatus status = HeapSampler.status();
        boolean hasNews =
                status.samples() != writtenSamples || status.collections() != writtenCollections;
        writtenSamples = status.samples();
        writtenCollections = status.collections();
        return hasNews;
    }

    /** Whatever fails is said once; the next time may go better. */
    private void write(Recorder recorder, boolean isLast) {
        try {
            HeapSnapshot snapshot = HeapSampler.snapshot();
            recorder.write(snapshot, isLast);
            if (isLast) {
                writeExitReport(snapshot);
            }
        } catch (IOException e) {
            AgentLog.warnOnce(
                    "The agent cannot write to "
                            + options.outputFile
                            + ": "
                            + e
                            + ". Is there room, and may it write there?");
        } catch (HeapSamplingUnavailableException e) {
            AgentLog.warnOnce("The agent cannot take a snapshot: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            // The application is short of memory; it must not be the agent that says so.
            writtenSamples = -1;
        }
    }

    private void writeExitReport(HeapSnapshot snapshot) {
        if (options.reportOnExit.isEmpty()) {
            return;
        }
        Path file = options.reportOnExit.get();
        try {
            Format format = Format.ofFileName(file.toString()).orElse(Format.HTML);
            Exports.write(snapshot, file, format);
        } catch (IOException e) {
            AgentLog.warn("The agent cannot write its report to " + file + ": " + e + ".");
        }
    }

    // --- Ending ----------------------------------------------------------------------------------

    private synchronized boolean isEnding() {
        return isEnding;
    }

    /** Lets the writer write for the last time; returns when it has, or when the time is over. */
    private void end(Duration patience) {
        synchronized (this) {
            isEnding = true;
            notifyAll();
        }
        try {
            if (!patience.isZero()) {
                writer.join(patience.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void atExit() {
        end(options.exitTimeout);
        if (writer.isAlive() && !options.exitTimeout.isZero()) {
            AgentLog.warn(
                    "The agent has not written everything: the JVM ends, and exit.timeout.ms="
                            + options.exitTimeout.toMillis()
                            + " is over. Files that are there are those of before.");
        }
    }

    /** Ends the agent while the JVM goes on; what it sampled is forgotten, files stay. */
    void detach() {
        end(Duration.ofMinutes(1));
        closeWeb();
        sampling.stop();
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook is harmless.
        }
    }

    private void closeWeb() {
        if (web != null) {
            web.close();
        }
    }
}
