// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.SamplerState;
import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heapsampler watch}. */
@Command(
        name = "watch",
        description =
                "Shows the largest and the growing sites of a JVM that runs, renewed every few"
                        + " seconds, until Ctrl+C. If the JVM is sampled already, shows that; else"
                        + " samples as long as it watches.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class WatchCommand implements Callable<Integer> {

    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[J";
    private static final int ROWS_AROUND = 7;
    private static final int USUAL_ROWS = 20;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private Jvm jvm = new Jvm();

    @Option(
            names = {"-r", "--refresh"},
            converter = Times.class,
            description = "How often, such as 5s; 2s if not given.")
    private Duration refresh = Duration.ofSeconds(2);

    @Option(
            names = {"-i", "--interval"},
            converter = Interval.Reader.class,
            description =
                    "Sample for this command alone, with so many mean bytes between two samples of"
                            + " a thread, such as 64k.")
    private @Nullable Interval interval;

    @Option(
            names = {"-s", "--sort"},
            description = "One of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if not given.")
    private WatchTable.Order order = WatchTable.Order.LIVE;

    @Option(
            names = {"-n", "--rows"},
            description = "How many sites; as many as fit if not given.")
    private @Nullable Integer rows;

    @Option(
            names = {"-c", "--count"},
            description = "Show it so many times; without end if not given.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--gc",
            description = "Force a collection each time, which stops the JVM for a moment.")
    private boolean isAfterGc;

    @Override
    public Integer call() throws FailureException {
        PrintWriter out = spec.commandLine().getOut();
        try (Target target = jvm.attach()) {
            String state = new String(target.ask("state"), StandardCharsets.UTF_8);
            if (interval != null) {
                target.ask("record " + interval.bytes());
            } else if (!state.equals(SamplerState.RUNNING.name())) {
                target.ask("record");
            }
            WatchTable table = new WatchTable(jvm.pid(), order);
            for (long i = 0; i < count; i++) {
                if (i > 0) {
                    Times.pause(refresh);
                }
                table.add(target.snapshot(isAfterGc));
                show(out, table);
            }
        }
        return 0;
    }

    private void show(PrintWriter out, WatchTable table) {
        Terminal terminal = Terminal.now();
        int fitting =
                terminal.isInteractive() ? Math.max(1, terminal.rows() - ROWS_AROUND) : USUAL_ROWS;
        List<String> lines = table.lines(rows == null ? fitting : rows, terminal.columns());
        if (terminal.isInteractive()) {
            out.print(HOME_AND_CLEAR);
        }
        lines.forEach(out::println);
        out.println(
                "Renewed every " + refresh.toMillis() / 1000.0 + " s. Ctrl+C ends this command.");
        out.flush();
    }
}
