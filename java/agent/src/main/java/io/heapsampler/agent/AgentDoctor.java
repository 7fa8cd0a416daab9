// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Severity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The doctor of the agent: what is worse than information is said in the log, once, and the whole
 * is written to a file when that happens and at the end.
 */
final class AgentDoctor implements AutoCloseable {

    private final GcDoctor doctor;
    private final Optional<Path> file;

    private AgentDoctor(GcDoctor doctor, Optional<Path> file) {
        this.doctor = doctor;
        this.file = file;
    }

    /** Starts it. Sampling is left to the agent, whose options say how. */
    static AgentDoctor start(Optional<Path> file) {
        GcDoctor doctor = GcDoctor.start(DoctorOptions.builder().sampling(false).build());
        AgentDoctor agent = new AgentDoctor(doctor, file);
        doctor.addListener(agent::tell);
        return agent;
    }

    private void tell(Finding finding) {
        if (finding.severity() != Severity.INFO) {
            AgentLog.warnOnce("GC doctor: " + finding.id() + ": " + finding.title());
            write();
        }
    }

    /** Writes the file, if one is wanted. Whatever fails is said once. */
    void write() {
        if (file.isEmpty()) {
            return;
        }
        Path path = file.get();
        try {
            DoctorFormat format =
                    DoctorFormat.ofFileName(path.toString()).orElse(DoctorFormat.TEXT);
            Files.writeString(path, format.write(doctor), StandardCharsets.UTF_8);
        } catch (IOException e) {
            AgentLog.warnOnce(
                    "The agent cannot write to "
                            + path
                            + ": "
                            + e
                            + ". Is there room, and may it write there?");
        } catch (OutOfMemoryError e) {
            // The application is short of memory; it must not be the agent that says so.
            return;
        } catch (RuntimeException | Error e) {
            AgentLog.warnOnce("The agent did not write to " + path + ": " + e + ".");
        }
    }

    @Override
    public void close() {
        doctor.close();
    }
}
