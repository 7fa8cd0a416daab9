// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.internal.Exporting;
import io.heapsampler.internal.shared.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An agent at work: it samples, and a daemon thread of its own writes. It ends by {@link #detach()}
 * or with the JVM, whose end it holds up no longer than the options allow.
 */
final class RunningAgent {

    private static final int MILLIS_TO_SAY = 200;

    private final AgentOptions options;
    private final Sampling sampling;
    private final Thread writer =
            AgentLog.guarded(DaemonThreads.of(this::run, "heapsampler-agent"));
    private final Thread exitHook =
            AgentLog.guarded(DaemonThreads.of(this::atExit, "heapsampler-agent-exit"));

    /** Guarded by this. */
    private boolean isEnding;

    private @Nullable Web web;
    private @Nullable AgentDoctor doctor;

    /** Only for the writer. */
    private @Nullable Recorder recorder;

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
     * @throws IOException if the port is not available; after any exception nothing stays
     */
    static RunningAgent start(AgentOptions options) throws IOException {
        RunningAgent agent = new RunningAgent(options);
        try {
            agent.begin();
            return agent;
        } catch (IOException | RuntimeException | Error e) {
            agent.abandon();
            throw e;
        }
    }

    private void begin() throws IOException {
        if (options.httpPort.isPresent()) {
            web = Web.start(options, sampling::start, sampling::stop);
        }
        if (options.delay.isZero()) {
            sampling.start();
        }
        if (options.hasDoctor) {
            doctor = AgentDoctor.start(options.doctorFile, options.hasFlightRecorder);
        }
        Runtime.getRuntime().addShutdownHook(exitHook);
        writer.start();
    }

    /** Takes back what was begun. */
    private void abandon() {
        try {
            leave();
        } catch (RuntimeException | Error e) {
            AgentLog.warn("The agent leaves something behind: " + e + ".");
        }
    }

    // --- The writer's thread ---------------------------------------------------------------------

    private void run() {
        if (!options.delay.isZero()) {
            waitFor(options.delay);
            if (isEnding() || !startLater()) {
                return;
            }
        }
        try {
            Duration pause = options.outputInterval;
            while (!waitFor(pause)) {
                long begin = System.nanoTime();
                write(false);
                Duration took = Duration.ofNanos(System.nanoTime() - begin);
                pause =
                        pause(
                                options.outputInterval,
                                took,
                                recorder == null ? 0 : recorder.share());
            }
            write(true);
            if (doctor != null) {
                doctor.write();
            }
        } finally {
            if (recorder != null) {
                recorder.close();
            }
        }
    }

    /**
     * Returns the requested pause, or a longer one where writing would else take more than its
     * share of the time.
     */
    static Duration pause(Duration asked, Duration took, int share) {
        Duration least = took.multipliedBy(share);
        return least.compareTo(asked) > 0 ? least : asked;
    }

    private boolean startLater() {
        try {
            sampling.start();
            return true;
        } catch (RuntimeException e) {
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
                isEnding = true; // An interrupt always means to end this thread.
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

    /**
     * Writes the recorder's file, and at the end the report. If one fails, the other is written.
     */
    private void write(boolean isLast) {
        AtomicReference<HeapSnapshot> taken = new AtomicReference<>();
        attempt(
                options.outputFile,
                () -> {
                    if (isLast || hasNews()) {
                        taken.setPlain(HeapSampler.snapshot());
                    }
                });
        HeapSnapshot snapshot = taken.getPlain();
        if (snapshot == null) {
            return;
        }
        attempt(options.outputFile, () -> recorder().write(snapshot, isLast));
        if (isLast && options.reportOnExit.isPresent()) {
            Path file = options.reportOnExit.get();
            attempt(file, () -> writeReport(snapshot, file));
        }
    }

    /** A page has the section of the doctor, where there is one. */
    private void writeReport(HeapSnapshot snapshot, Path file) throws IOException {
        ExportFormat format = ExportFormat.ofFileName(file.toString()).orElse(ExportFormat.HTML);
        Optional<String> section =
                doctor != null && format == ExportFormat.HTML ? doctor.section() : Optional.empty();
        if (section.isEmpty()) {
            snapshot.writeTo(file, format);
        } else {
            ExportOptions export = ExportOptions.defaults();
            snapshot.writeTo(file, Exporting.get().reportWithDoctor(export, section.get()));
        }
    }

    private Recorder recorder() {
        Recorder known = recorder;
        if (known == null) {
            known = Recorder.of(options);
            recorder = known;
        }
        return known;
    }

    /** A part of the work that may fail. */
    private interface Part {
        void run() throws IOException;
    }

    /** Whatever fails is said once; the next time may go better. */
    private void attempt(Path file, Part part) {
        try {
            part.run();
        } catch (IOException e) {
            AgentLog.warnOnce(
                    """
                    The agent cannot write to %s: %s. Is there room, and may it write there?\
                    """
                            .formatted(file, e));
        } catch (HeapSamplingUnavailableException e) {
            AgentLog.warnOnce("The agent cannot take a snapshot: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            // The application is short of memory; it must not be the agent that says so.
            writtenSamples = -1;
        } catch (RuntimeException | Error e) {
            AgentLog.warnOnce("The agent did not write to " + file + ": " + e + ".");
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
        AgentLog.expectEnd();
        end(options.exitTimeout);
        if (writer.isAlive() && !options.exitTimeout.isZero()) {
            sayInPassing(
                    "The agent has not written everything: the JVM ends, and exitTimeoutMs="
                            + options.exitTimeout.toMillis()
                            + " is over. Files that are there are those of before.");
        }
    }

    /** A handler of the application's that hangs is not to hold up the end, either. */
    private static void sayInPassing(String message) {
        Thread speaker =
                AgentLog.guarded(
                        DaemonThreads.of(
                                () -> AgentLog.warn(message), "heapsampler-agent-speaker"));
        speaker.start();
        try {
            speaker.join(MILLIS_TO_SAY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the agent while the JVM goes on; what it sampled is forgotten unless kept. */
    void detach() {
        end(Duration.ofMinutes(1));
        leave();
    }

    private void leave() {
        try {
            if (web != null) {
                web.close();
            }
            if (doctor != null) {
                doctor.close();
            }
        } finally {
            try {
                sampling.end();
            } finally {
                removeHook();
            }
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook is harmless.
        }
    }
}
