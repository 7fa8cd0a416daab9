// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler record}. */
@Command(
        name = "record",
        description =
                "Samples a running JVM for a time and writes its allocations, and which of them"
                        + " are still alive, to a file. Other recordings in the JVM continue.")
final class RecordCommand extends CliCommand.OnSampledJvm {

    private static final Duration ANSWER_TIME = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIME_WITH_GC = Duration.ofSeconds(60);
    private static final int BAR = 30;
    private static final Duration TICK = Duration.ofMillis(200);

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = Quantities.Time.class,
            description = "How long to sample, such as 30s or 5m; 30s by default.")
    private Duration duration = Duration.ofSeconds(30);

    @Option(
            names = {"-f", "--format"},
            description =
                    "One of ${COMPLETION-CANDIDATES}; by default the ending of OUTPUT decides, or"
                            + " HSNAP.")
    private @Nullable ExportFormat format;

    @Mixin private Only only = new Only();

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        ExportFormat wanted = format == null ? output.format().orElse(ExportFormat.HSNAP) : format;
        Path file = output.orBeside(Path.of("heap-" + pid()), wanted);
        output.check(this, file);
        try (Target target = attach()) {
            beginRecording(target);
            Duration answerTime = isAfterGc() ? ANSWER_TIME_WITH_GC : ANSWER_TIME;
            try (Interruption interruption = Interruption.await(target, err(), answerTime)) {
                await(interruption);
                HeapSnapshot snapshot = only.of(target.snapshot(isAfterGc()));
                output.write(this, file, wanted.name(), out -> snapshot.writeTo(out, wanted));
            }
        }
    }

    /** Waits for the duration. On a terminal a bar shows the progress. */
    private void await(Interruption interruption) {
        boolean isInteractive = Terminal.now().isInteractive();
        long begin = System.nanoTime();
        Duration passed = Duration.ZERO;
        while (passed.compareTo(duration) < 0) {
            if (isInteractive) {
                err().print("\r" + bar(passed));
                err().flush();
            }
            Duration rest = duration.minus(passed);
            if (interruption.cutsShort(rest.compareTo(TICK) < 0 ? rest : TICK)) {
                err().println((isInteractive ? "\n" : "") + "Interrupted: the recording so far.");
                return;
            }
            passed = Duration.ofNanos(System.nanoTime() - begin);
        }
        if (isInteractive) {
            err().println("\r" + bar(duration));
        }
    }

    private String bar(Duration passed) {
        int full = (int) (BAR * passed.toMillis() / duration.toMillis());
        return "recording [%s] %s of %s"
                .formatted(
                        "#".repeat(full) + ".".repeat(BAR - full),
                        Printing.clock(passed),
                        Printing.clock(duration));
    }
}
