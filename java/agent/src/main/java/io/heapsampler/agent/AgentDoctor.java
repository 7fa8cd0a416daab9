// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Severity;
import io.heapsampler.internal.shared.PrintableText;
import io.heapsampler.internal.shared.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The doctor of the agent. It logs each finding that is worse than information once, and again when
 * it gets worse: a warning at level WARNING, a critical one at level ERROR. It writes the whole
 * diagnosis to a file when that happens and at the end, when it also logs what the last judgement
 * found. Thread-safe.
 */
final class AgentDoctor implements AutoCloseable {

    private final GcDoctor doctor;
    private final Optional<Path> file;
    private final boolean hasLabels;

    /**
     * The severity reported for each finding; there are no more entries than rules. Guarded by
     * this.
     */
    private final Map<String, Severity> said = new HashMap<>();

    /** Guarded by this. */
    private boolean isCleared;

    private AgentDoctor(GcDoctor doctor, Optional<Path> file, boolean hasLabels) {
        this.doctor = doctor;
        this.file = file;
        this.hasLabels = hasLabels;
    }

    /**
     * Starts it. Sampling is left to the agent, whose options say how. If a doctor is already
     * running, for example for a CLI session, the agent shares it with its options.
     *
     * @param hasLabels whether the file and the report name labels
     */
    static AgentDoctor start(
            Optional<Path> file, boolean hasJvmLog, boolean hasHolders, boolean hasLabels) {
        GcDoctor doctor = startOrShare(hasJvmLog, hasHolders);
        AgentDoctor started = new AgentDoctor(doctor, file, hasLabels);
        started.doctor.addListener(started::tell);
        return started;
    }

    private static GcDoctor startOrShare(boolean hasJvmLog, boolean hasHolders) {
        DoctorOptions options =
                DoctorOptions.builder()
                        .sampling(false)
                        .closerLook(true)
                        .jvmLog(hasJvmLog)
                        .holders(hasHolders)
                        .build();
        try {
            return GcDoctor.start(options);
        } catch (IllegalStateException e) {
            return share(options);
        }
    }

    private static GcDoctor share(DoctorOptions options) {
        GcDoctor shared = GcDoctor.start();
        if (shared.options().equals(DoctorOptions.builder().build())) {
            shared.close(); // If the other doctor has ended meanwhile, this one is new.
            try {
                return GcDoctor.start(options);
            } catch (IllegalStateException e) {
                shared = GcDoctor.start();
            }
        }
        if (!shared.options().equals(options)) {
            AgentLog.warn(
                    """
                    The agent shares the doctor that is running in this JVM, and its own doctor \
                    options have no effect. In force: %s. Requested: %s.\
                    """
                            .formatted(shared.options(), options));
        }
        return shared;
    }

    void tell(Finding finding) {
        if (finding.severity() != Severity.INFO) {
            log(finding);
            write();
        }
    }

    private void log(Finding finding) {
        if (!isWorse(finding)) {
            return;
        }
        String line =
                PrintableText.of(
                        "GC doctor: "
                                + finding.severity()
                                + " "
                                + finding.id()
                                + ": "
                                + finding.title());
        if (finding.severity() == Severity.CRITICAL) {
            AgentLog.error(line);
        } else {
            AgentLog.warn(line);
        }
    }

    private synchronized boolean isWorse(Finding finding) {
        Severity before = said.getOrDefault(finding.id(), Severity.INFO);
        if (finding.severity().compareTo(before) <= 0) {
            return false;
        }
        said.put(finding.id(), finding.severity());
        return true;
    }

    /**
     * Writes the file, if one is wanted; also at the beginning, since later there may be no memory
     * for the classes and parts that it takes.
     */
    void write() {
        file.ifPresent(path -> write(path, false));
    }

    /** Judges for the last time, logs what was found since the last judgement, and writes it. */
    void writeLast() {
        if (file.isPresent()) {
            write(file.get(), true);
            return;
        }
        try {
            logNew(doctor.finalDiagnosis());
        } catch (OutOfMemoryError e) {
            return; // As in write().
        } catch (RuntimeException | Error e) {
            AgentLog.warnOnce("The GC doctor has no last diagnosis: " + e + ".");
        }
    }

    private void logNew(Diagnosis diagnosis) {
        for (Finding finding : diagnosis.findings()) {
            log(finding);
        }
    }

    /**
     * Writes it as a whole or not at all: the listener and the agent's writer may both want to.
     * Each failure is logged once.
     */
    private synchronized void write(Path path, boolean isLast) {
        try {
            if (!isCleared) {
                Leftovers.delete(path);
                isCleared = true;
            }
            DoctorFormat format = format(path);
            Diagnosis diagnosis = isLast ? doctor.finalDiagnosis() : doctor.diagnosis();
            if (isLast) {
                logNew(diagnosis);
            }
            WholeFile.replace(path, out -> format.write(shown(diagnosis), out));
        } catch (IOException e) {
            AgentLog.warnOnce(
                    """
                    The agent cannot write to %s: %s. Is there room, and may it write there?\
                    """
                            .formatted(path, e));
        } catch (OutOfMemoryError e) {
            // The application is short of memory; it must not be the agent that says so.
            return;
        } catch (RuntimeException | Error e) {
            AgentLog.warnOnce("The agent did not write to " + path + ": " + e + ".");
        }
    }

    private Diagnosis shown(Diagnosis diagnosis) {
        return hasLabels ? diagnosis : diagnosis.withoutLabels();
    }

    private static DoctorFormat format(Path file) {
        return DoctorFormat.ofFileName(file.toString()).orElse(DoctorFormat.TEXT);
    }

    /**
     * Returns the last diagnosis as JSON, for the report; empty if that fails, which is logged
     * once.
     */
    Optional<String> json() {
        try {
            return Optional.of(shown(doctor.finalDiagnosis()).toJson());
        } catch (OutOfMemoryError e) {
            return Optional.empty();
        } catch (RuntimeException | Error e) {
            AgentLog.warnOnce("The report is without the GC doctor's section: " + e + ".");
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        doctor.close();
    }

    /** The doctor of this JVM while a talk goes on; it stays as long as others want it. */
    static final class SessionDoctor implements AutoCloseable {

        /** The shortest watch whose diagnosis is worth reading. */
        private static final Duration ENOUGH = Duration.ofMinutes(1);

        private final GcDoctor doctor = GcDoctor.start();

        /** Returns whether it has watched long enough: {@code new} or {@code running}. */
        String state() {
            Diagnosis now = doctor.diagnosis();
            Duration watched = Duration.between(now.startedAt(), now.endedAt());
            return watched.compareTo(ENOUGH) < 0 ? "new" : "running";
        }

        byte[] diagnosis(DoctorFormat format) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            format.write(doctor.diagnosis(), out);
            return out.toByteArray();
        }

        @Override
        public void close() {
            doctor.close();
        }
    }
}
