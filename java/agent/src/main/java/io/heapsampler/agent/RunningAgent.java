// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.internal.shared.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A running agent: it samples, and a daemon thread of its own writes. It ends by {@link #detach()}
 * or with the JVM, whose end it delays no longer than the options allow.
 */
final class RunningAgent {

    private static final int MILLIS_TO_WARN = 200;

    /** Half of the smallest region of G1. */
    private static final long LARGE_BYTES = 512 << 10;

    private final AgentOptions options;
    private final Sampling sampling;
    private final Thread writer = thread(this::run, "heapsampler-agent");
    private final Thread exitHook = thread(this::atExit, "heapsampler-agent-exit");

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
        this.sampling = new Sampling(options.sampler);
    }

    private static Thread thread(Runnable work, String name) {
        return AgentLog.guarded(DaemonThreads.of(work, name));
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
            doctor =
                    AgentDoctor.start(
                            options.doctorFile,
                            options.hasJvmLog,
                            options.hasDoctorHolders,
                            options.hasAllLabels());
        }
        Runtime.getRuntime().addShutdownHook(exitHook);
        writer.start();
    }

    private void abandon() {
        try {
            leave();
        } catch (RuntimeException | Error e) {
            AgentLog.warn("The agent leaves something behind: " + e + ".");
        }
    }

    // --- The writer's thread ---------------------------------------------------------------------

    private void run() {
        if (doctor != null) {
            doctor.write();
        }
        try {
            if (options.delay.isZero() || (!waitFor(options.delay) && startLater())) {
                writeUntilEnd();
            }
            if (doctor != null) {
                while (!waitFor(options.outputInterval)) {} // Without samples it is alone.
                doctor.writeLast();
            }
        } finally {
            if (recorder != null) {
                recorder.close();
            }
        }
    }

    private void writeUntilEnd() {
        Duration pause = options.outputInterval;
        while (!waitFor(pause)) {
            long begin = System.nanoTime();
            write(false);
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            Duration requested = requested(options.outputFile.toFile().length(), options);
            pause = pause(requested, took, options.pauseShare());
        }
        write(true);
    }

    /** A large file comes from a large snapshot, whose array makes G1 mark the heap each time. */
    static Duration requested(long fileBytes, AgentOptions options) {
        return fileBytes >= LARGE_BYTES ? options.largeInterval : options.outputInterval;
    }

    /** Returns the requested pause, or a longer one that is the given multiple of the work. */
    static Duration pause(Duration requested, Duration took, int share) {
        Duration least = took.multipliedBy(share);
        return least.compareTo(requested) > 0 ? least : requested;
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

    /** Writes the recorder's file, and at the end the report; each even if the other fails. */
    private void write(boolean isLast) {
        attempt(
                options.outputFile,
                () -> {
                    if (isLast || hasNews()) {
                        write(HeapSampler.snapshot(), isLast);
                    }
                });
    }

    private void write(HeapSnapshot snapshot, boolean isLast) {
        attempt(
                options.outputFile,
                () -> {
                    if (recorder == null) {
                        recorder = Recorder.of(options);
                    }
                    recorder.write(snapshot, isLast);
                });
        if (isLast && options.reportOnExit.isPresent()) {
            Path file = options.reportOnExit.get();
            attempt(file, () -> writeReport(snapshot, file));
        }
    }

    /** Writes the report; as a page, with the doctor's diagnosis if there is one. */
    private void writeReport(HeapSnapshot snapshot, Path file) throws IOException {
        ExportFormat format = AgentOptions.formatOf(file);
        ExportOptions.Builder export = options.export();
        if (doctor != null && format == ExportFormat.HTML) {
            doctor.json().ifPresent(export::diagnosis);
        }
        snapshot.writeTo(file, format.with(export.build()));
    }

    /** A part of the work that may fail. */
    private interface Part {
        void run() throws IOException;
    }

    /** Logs each failure once; the next attempt may succeed. */
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
            // The application is short of memory and reports that itself.
            writtenSamples = -1;
        } catch (RuntimeException | Error e) {
            AgentLog.warnOnce("The agent did not write to " + file + ": " + e + ".");
        }
    }

    // --- Ending ----------------------------------------------------------------------------------

    /** Makes the writer write a last time; returns when it has, or after the time. */
    private void end(Duration patience) {
        synchronized (this) {
            isEnding = true;
            notifyAll();
        }
        if (!patience.isZero()) {
            join(writer, patience.toMillis());
        }
    }

    private static void join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void atExit() {
        AgentLog.expectEnd();
        end(options.exitTimeout);
        if (writer.isAlive() && !options.exitTimeout.isZero()) {
            String message =
                    "The agent has not written everything: the JVM ends, and exitTimeoutMs="
                            + options.exitTimeout.toMillis()
                            + " is over. Existing files are those of before.";
            // A handler of the application may hang; it must not delay the end.
            Thread speaker = thread(() -> AgentLog.warn(message), "heapsampler-agent-speaker");
            speaker.start();
            join(speaker, MILLIS_TO_WARN);
        }
    }

    /** Ends the agent while the JVM continues; its samples are dropped unless others hold them. */
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
