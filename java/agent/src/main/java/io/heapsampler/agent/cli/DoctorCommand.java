// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static java.util.stream.Collectors.joining;

import io.heapsampler.agent.DoctorFormat;
import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import io.heapsampler.export.cli.Output;
import io.heapsampler.export.cli.Text;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
    private static final Duration ANSWER_TIME = Duration.ofSeconds(5);

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private Jvm jvm = new Jvm();

    @Mixin private HowLong howLong = new HowLong();

    @Option(
            names = {"-f", "--format"},
            description = "One of ${COMPLETION-CANDIDATES}; else the end of OUTPUT tells, or text.")
    private @Nullable DoctorFormat format;

    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws FailureException {
        Path file = output.file();
        if (file != null) {
            output.check(file); // before the time is spent, not after
        }
        try (Target target = jvm.attach()) {
            boolean isNew = text(target.ask("doctor")).equals("new");
            if (isNew || howLong.said() != null) {
                waitAndWrite(target, file);
            } else {
                write(target, file);
            }
        }
        return 0;
    }

    private void waitAndWrite(Target target, @Nullable Path file) throws FailureException {
        PrintWriter err = spec.commandLine().getErr();
        try (Interruption interruption = Interruption.await(target, err, ANSWER_TIME)) {
            wait(interruption, howLong.or(USUAL));
            write(target, file);
        }
    }

    private void wait(Interruption interruption, Duration time) {
        if (interruption.cutsShort(time)) {
            spec.commandLine().getErr().println("Interrupted: the diagnosis of the time so far.");
        }
    }

    private DoctorFormat chosen() {
        if (format != null) {
            return format;
        }
        Path file = output.file();
        return file == null
                ? DoctorFormat.TEXT
                : DoctorFormat.ofFileName(file.toString()).orElse(DoctorFormat.TEXT);
    }

    private void write(Target target, @Nullable Path file) throws FailureException {
        String diagnosis = printable(text(target.ask("diagnosis " + chosen())));
        if (file == null) {
            spec.commandLine().getOut().print(diagnosis);
            spec.commandLine().getOut().flush();
            return;
        }
        byte[] bytes = diagnosis.getBytes(StandardCharsets.UTF_8);
        output.write(spec.commandLine(), file, out -> out.write(bytes));
    }

    /** Names come from the other JVM. Lines stay; nothing in them steers a terminal. */
    static String printable(String text) {
        return Stream.of(text.split("\n", -1)).map(Text::printable).collect(joining("\n"));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
