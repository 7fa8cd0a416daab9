// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.ClassTotals;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import io.heapsampler.export.HeapMetric;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler top}. */
@Command(name = "top", description = "Prints what has the largest figures.")
final class TopCommand extends SnapshotCommand {

    /** What is ranked. */
    enum Kind {
        SITE,
        CLASS,
        THREAD
    }

    @Option(
            names = {"-b", "--by"},
            description = "One of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if not given.")
    private Kind kind = Kind.SITE;

    @Option(
            names = {"-m", "--metric"},
            description = "What ranks: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if not given.")
    private HeapMetric metric = HeapMetric.ALLOCATED_BYTES;

    @Mixin private Ranking ranking = new Ranking();

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
                .limit(ranking.count())
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
            Text.printStack(out, site.stack(), ranking.depth());
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
