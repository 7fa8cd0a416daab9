// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.Turns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** JVMs with the doctor in them, a few at a time, in a folder where they leave what they print. */
final class ForkedJvm {

    /** Only for what hangs. */
    private static final int DEADLINE_SECONDS = 400;

    private final ExecutorService turns = Turns.ofJvms();
    private final Path folder = Path.of("target", "doctor").toAbsolutePath();
    private final int deadlineSeconds;

    ForkedJvm() throws IOException {
        this(0);
    }

    /** For programs that take so long when all is well. */
    ForkedJvm(int seconds) throws IOException {
        deadlineSeconds = seconds + DEADLINE_SECONDS;
        Files.createDirectories(folder);
    }

    /** Returns where they leave it. */
    Path folder() {
        return folder;
    }

    /** Runs a cell as soon as it is its turn; prints how it went. */
    Future<Outcome> start(Cell cell, Tier tier) {
        List<String> flags = new ArrayList<>(cell.gc().flags());
        flags.addAll(cell.patient().flags());
        return start(
                cell.name(),
                cell.jdk(),
                flags,
                System.getProperty("java.class.path"),
                CaseMain.class.getName(),
                cell.patient().name(),
                String.valueOf(tier.seconds()),
                cell.name() + ".timeline");
    }

    /** Runs a program with the doctor in it. */
    Future<Outcome> start(
            String name, Jdk jdk, List<String> flags, String classPath, String... words) {
        List<String> command = new ArrayList<>();
        command.add(jdk.java().toString());
        command.add("-XX:-CreateCoredumpOnCrash");
        command.add("-XX:ErrorFile=" + folder.resolve("hs_err_" + name + ".log"));
        command.add("-XX:+UnlockExperimentalVMOptions");
        command.addAll(jdk.accessFlags());
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(words));
        return turns.submit(() -> run(name, command));
    }

    private Outcome run(String name, List<String> command) throws Exception {
        Path output = folder.resolve(name + ".txt");
        try (Pulse pulse = new Pulse()) {
            JvmProcess.End end = new JvmProcess(command, folder, output).run(deadlineSeconds);
            Outcome outcome =
                    new Outcome(
                            String.join(" ", command),
                            end.code(),
                            end.output(),
                            end.millis(),
                            pulse.lateMillis());
            System.out.printf("doctor: %-44s %6d ms  %s%n", name, end.millis(), outcome.summary());
            return outcome;
        }
    }
}
