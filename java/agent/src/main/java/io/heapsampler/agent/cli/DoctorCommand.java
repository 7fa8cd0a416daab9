// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.DoctorFormat;
import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heapsampler doctor}. */
@Command(
        name = "doctor",
        description =
                "Watches the garbage collection of a JVM that runs, for 60 seconds or as long as"
                    + " you say, and tells what is wrong with it, who causes it, and what speaks"
                    + " against it. Where the agent's doctor has watched for 60 seconds already, it"
                    + " tells what that has seen, at once unless you say how long.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class DoctorCommand implements Callable<Integer> {

    private static final Duration USUAL = Duration.ofSeconds(60);

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private Jvm jvm = new Jvm();

    @Mixin private HowLong howLong = new HowLong();

    @Option(
            names = {"-f", "--format"},
            description = "One of ${COMPLETION-CANDIDATES}; else the end of OUTPUT tells, or text.")
    private @Nullable DoctorFormat format;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUTPUT",
            description = "The file to write; the standard output if not given.")
    private @Nullable Path output;

    @Override
    public Integer call() throws FailureException {
        byte[] diagnosis;
        try (Target target = jvm.attach()) {
            boolean isNew = text(target.ask("doctor")).equals("new");
            if (isNew || howLong.said() != null) {
                Times.pause(howLong.or(USUAL));
            }
            diagnosis = target.ask("diagnosis " + chosen());
        }
        write(diagnosis);
        return 0;
    }

    private DoctorFormat chosen() {
        if (format != null) {
            return format;
        }
        return output == null
                ? DoctorFormat.TEXT
                : DoctorFormat.ofFileName(output.toString()).orElse(DoctorFormat.TEXT);
    }

    private void write(byte[] diagnosis) throws FailureException {
        if (output == null) {
            spec.commandLine().getOut().print(text(diagnosis));
            spec.commandLine().getOut().flush();
            return;
        }
        try {
            Files.write(output, diagnosis);
        } catch (IOException e) {
            throw new FailureException("Cannot write to " + output + ": " + e + ".", e);
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
