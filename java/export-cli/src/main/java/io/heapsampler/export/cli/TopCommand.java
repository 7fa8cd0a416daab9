// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.ClassTotals;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import io.heapsampler.export.Metric;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heapsampler top}. */
@Command(
        name = "top",
        description = "Prints what has the largest figures.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
final class TopCommand implements Callable<Integer> {

    /** What is ranked. */
    enum Kind {
        SITE,
        CLASS,
        THREAD
    }

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SNAPSHOT", description = "A file that HeapSnapshot.write has saved.")
    private Path snapshot = Path.of("");

    @Option(
            names = {"-n", "--count"},
            description = "How many to print; ${DEFAULT-VALUE} if not given.")
    private int count = 20;

    @Option(
            names = {"-b", "--by"},
            description = "One of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if not given.")
    private Kind kind = Kind.SITE;

    @Option(
            names = {"-m", "--metric"},
            description = "What ranks: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if not given.")
    private Metric metric = Metric.ALLOCATED_BYTES;

    @Option(
            names = {"-d", "--depth"},
            description = "How many frames of each site; ${DEFAULT-VALUE} if not given.")
    private int depth = 5;

    @Override
    public Integer call() throws FailureException {
        HeapSnapshot read = Snapshots.read(snapshot);
        PrintWriter out = spec.commandLine().getOut();
        Estimate total = metric.of(read.totals());
        out.println(Text.head(read));
        out.println(metric.pprofName() + ": " + Text.of(metric, total) + " in all");
        Text.printNotes(out, read);
        Comparator<HeapFigures> bySize =
                Comparator.comparingDouble(figures -> -metric.of(figures).value());
        all(read).stream()
                .filter(figures -> metric.of(figures).value() > 0)
                .sorted(bySize)
                .limit(Math.max(count, 0))
                .forEach(figures -> print(out, figures, total));
        return 0;
    }

    private List<? extends HeapFigures> all(HeapSnapshot read) {
        return switch (kind) {
            case SITE -> read.sites();
            case CLASS -> read.classes();
            case THREAD -> read.threads();
        };
    }

    private void print(PrintWriter out, HeapFigures figures, Estimate total) {
        Estimate value = metric.of(figures);
        double share = 100 * value.value() / total.value();
        out.println(
                String.format(
                        Locale.ROOT,
                        "%5.1f %%  %s  %s",
                        share,
                        Text.of(metric, value),
                        Text.printable(name(figures))));
        if (figures instanceof HeapSite site) {
            Text.printStack(out, site.stack(), Math.max(depth, 0));
        }
    }

    private static String name(HeapFigures figures) {
        if (figures instanceof HeapSite site) {
            return site.className();
        }
        if (figures instanceof ClassTotals totals) {
            return totals.className();
        }
        return figures instanceof ThreadTotals totals
                ? totals.threadName() + " (" + totals.threadId() + ")"
                : "";
    }
}
