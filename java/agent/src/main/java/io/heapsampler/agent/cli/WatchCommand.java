// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.SamplerState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler watch}. */
@Command(
        name = "watch",
        description =
                "Shows a table of the largest and the growing sites of a running JVM until Ctrl+C."
                        + " Shows the existing samples if the JVM is being sampled, else samples"
                        + " until the command ends.")
final class WatchCommand extends CliCommand.OnSampledJvm {

    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[J";
    private static final int ROWS_AROUND = 7;
    private static final int USUAL_ROWS = 20;

    @Option(
            names = {"-r", "--refresh"},
            converter = Quantities.Time.class,
            description = "The time between two tables, such as 5s; 2s by default.")
    private Duration refresh = Duration.ofSeconds(2);

    @Option(
            names = {"-s", "--sort"},
            description =
                    "The figure to rank by: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private WatchTable.Order order = WatchTable.Order.LIVE;

    @Option(
            names = {"-n", "--rows"},
            description =
                    "The number of sites; by default as many as fit on the terminal, else 20.")
    private @Nullable Integer rows;

    @Option(
            names = {"-c", "--count"},
            description = "The number of tables; no limit by default.")
    private long count = Long.MAX_VALUE;

    @Mixin private Only only = new Only();

    @Override
    void execute() throws FailureException {
        try (Target target = attach()) {
            String state = new String(target.ask("state"), StandardCharsets.UTF_8);
            if (hasInterval() || !state.equals(SamplerState.RUNNING.name())) {
                beginRecording(target);
            }
            WatchTable table = new WatchTable(pid(), order);
            for (long i = 0; i < count; i++) {
                if (i > 0) {
                    pause();
                }
                table.add(only.of(target.snapshot(isAfterGc())));
                show(table);
            }
        }
    }

    private void pause() throws FailureException {
        try {
            Thread.sleep(Math.max(1, refresh.toMillis()));
        } catch (InterruptedException e) {
            throw new FailureException("Interrupted.", e);
        }
    }

    private void show(WatchTable table) {
        if (isJson()) {
            print(table.json(json("watch:1"), rows == null ? USUAL_ROWS : rows));
            return;
        }
        Terminal terminal = Terminal.now();
        int fitting =
                terminal.isInteractive() ? Math.max(1, terminal.rows() - ROWS_AROUND) : USUAL_ROWS;
        List<String> lines = table.lines(rows == null ? fitting : rows, terminal.columns());
        if (terminal.isInteractive()) {
            out().print(HOME_AND_CLEAR);
        }
        lines.forEach(out()::println);
        out().println("Every " + refresh.toMillis() / 1000.0 + " s. Ctrl+C ends this command.");
        out().flush();
    }
}
