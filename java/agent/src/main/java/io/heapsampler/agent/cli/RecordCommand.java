// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import io.heapsampler.export.cli.Output;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heapsampler record}. */
@Command(
        name = "record",
        description =
                "Samples a JVM that runs, for 30 seconds or as long as you say, and writes what was"
                        + " allocated meanwhile and what of it is alive. Whatever else samples"
                        + " there goes on.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class RecordCommand implements Callable<Integer> {

    private static final Duration USUAL = Duration.ofSeconds(30);
    private static final Duration ANSWER_TIME = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIME_WITH_GC = Duration.ofSeconds(60);
    private static final int BAR = 30;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private Jvm jvm = new Jvm();

    @Mixin private HowLong howLong = new HowLong();

    @Option(
            names = {"-i", "--interval"},
            converter = Interval.Reader.class,
            description =
                    "Mean bytes between two samples of a thread, such as 64k; 512k if not given.")
    private @Nullable Interval interval;

    @Option(names = "--gc", description = "Force a collection at the end: what is alive is sure.")
    private boolean isAfterGc;

    @Option(
            names = {"-f", "--format"},
            description = "One of ${COMPLETION-CANDIDATES}; else the end of OUTPUT tells.")
    private @Nullable ExportFormat format;

    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws FailureException {
        PrintWriter err = spec.commandLine().getErr();
        ExportFormat wanted = format == null ? output.format().orElse(ExportFormat.HSNAP) : format;
        Path file = output.orBeside(Path.of("heap-" + jvm.pid()), wanted);
        output.check(file); // before the time is spent, not after
        try (Target target = jvm.attach()) {
            target.ask(interval == null ? "record" : "record " + interval.bytes());
            Duration answerTime = isAfterGc ? ANSWER_TIME_WITH_GC : ANSWER_TIME;
            try (Interruption interruption = Interruption.await(target, err, answerTime)) {
                await(interruption, howLong.or(USUAL), err);
                HeapSnapshot snapshot = target.snapshot(isAfterGc);
                output.write(spec.commandLine(), file, out -> snapshot.writeTo(out, wanted));
            }
        }
        return 0;
    }

    /** Waits for the time to pass; on a terminal a bar shows how much of it has. */
    private static void await(Interruption interruption, Duration duration, PrintWriter err) {
        boolean isInteractive = Terminal.now().isInteractive();
        long begin = System.nanoTime();
        Duration passed = Duration.ZERO;
        while (passed.compareTo(duration) < 0) {
            if (isInteractive) {
                err.print("\r" + bar(passed, duration));
                err.flush();
            }
            Duration rest = duration.minus(passed);
            if (interruption.cutsShort(rest.compareTo(Times.TICK) < 0 ? rest : Times.TICK)) {
                err.println((isInteractive ? "\n" : "") + "Interrupted: the recording so far.");
                return;
            }
            passed = Duration.ofNanos(System.nanoTime() - begin);
        }
        if (isInteractive) {
            err.println("\r" + bar(duration, duration));
        }
    }

    private static String bar(Duration passed, Duration duration) {
        int full = (int) (BAR * passed.toMillis() / duration.toMillis());
        return "recording ["
                + "#".repeat(full)
                + ".".repeat(BAR - full)
                + "] "
                + Times.clock(passed)
                + " of "
                + Times.clock(duration);
    }
}
