// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static java.util.stream.Collectors.joining;

import io.heapsampler.agent.DoctorFormat;
import io.heapsampler.internal.shared.PrintableText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler doctor}. */
@Command(
        name = "doctor",
        description =
                "Watches the garbage collection of a running JVM and prints GC problems, the sites"
                        + " that cause them, and the evidence for and against each. If the agent's"
                        + " doctor has watched for 60 seconds already, its diagnosis is printed at"
                        + " once, unless a duration is given.")
final class DoctorCommand extends CliCommand.OnJvm {

    private static final Duration USUAL = Duration.ofSeconds(60);
    private static final Duration ANSWER_TIME = Duration.ofSeconds(5);

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = Quantities.Time.class,
            description = "How long to watch, such as 30s or 5m; 60s by default.")
    private @Nullable Duration duration;

    @Option(
            names = {"-f", "--format"},
            description =
                    "One of ${COMPLETION-CANDIDATES}; by default the ending of OUTPUT decides, or"
                            + " TEXT, with --json JSON.")
    private @Nullable DoctorFormat format;

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        Path file = output.file();
        if (file != null) {
            output.check(this, file);
        } else if (isJson() && chosen() != DoctorFormat.JSON) {
            throw wrongUsage("--json prints JSON, but -f names another format. Leave one out.");
        }
        try (Target target = attach()) {
            boolean isNew = text(target.ask("doctor")).equals("new");
            if (isNew || duration != null) {
                waitAndWrite(target, file);
            } else {
                write(target, file);
            }
        }
    }

    private void waitAndWrite(Target target, @Nullable Path file) throws FailureException {
        try (Interruption interruption = Interruption.await(target, err(), ANSWER_TIME)) {
            if (interruption.cutsShort(duration == null ? USUAL : duration)) {
                err().println("Interrupted: the diagnosis of the time so far.");
            }
            write(target, file);
        }
    }

    private DoctorFormat chosen() {
        if (format != null) {
            return format;
        }
        Path file = output.file();
        DoctorFormat usual = isJson() ? DoctorFormat.JSON : DoctorFormat.TEXT;
        return file == null ? usual : DoctorFormat.ofFileName(file.toString()).orElse(usual);
    }

    private void write(Target target, @Nullable Path file) throws FailureException {
        String diagnosis = printable(text(target.ask("diagnosis " + chosen())));
        if (file == null) {
            out().print(chosen() == DoctorFormat.JSON ? diagnosis + "\n" : diagnosis);
            out().flush();
            return;
        }
        byte[] bytes = diagnosis.getBytes(StandardCharsets.UTF_8);
        output.write(this, file, chosen().name(), out -> out.write(bytes));
    }

    /** Removes control characters but line feeds: the names come from the other JVM. */
    static String printable(String text) {
        return Stream.of(text.split("\n", -1)).map(PrintableText::of).collect(joining("\n"));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
