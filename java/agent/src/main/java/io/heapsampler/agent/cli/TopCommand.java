// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.ClassTotals;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import io.heapsampler.agent.Text;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.internal.shared.PrintableText;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler top}. */
@Command(name = "top", description = "Prints the largest sites, classes or threads of a snapshot.")
final class TopCommand extends CliCommand.OnSnapshot {

    /** The rows of the ranking. */
    enum Kind {
        SITE,
        CLASS,
        THREAD
    }

    @Option(
            names = {"-b", "--by"},
            description = "One of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private Kind kind = Kind.SITE;

    @Option(
            names = {"-m", "--metric"},
            description =
                    "The figure to rank by: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private HeapMetric metric = HeapMetric.ALLOCATED_BYTES;

    @Mixin private Ranking ranking = new Ranking();

    @Override
    void execute() throws FailureException {
        HeapSnapshot snapshot = CliCommand.readSnapshot(file());
        Comparator<HeapFigures> bySize =
                Comparator.comparingDouble(figures -> -metric.of(figures).value());
        List<? extends HeapFigures> rows =
                all(snapshot).stream()
                        .filter(figures -> metric.of(figures).value() > 0)
                        .sorted(bySize)
                        .limit(ranking.count())
                        .toList();
        if (isJson()) {
            print(json(snapshot, rows));
            return;
        }
        Estimate total = metric.of(snapshot.totals());
        out().println(Text.head(snapshot));
        out().println(metric.pprofName() + ": " + Text.of(metric, total) + " in total");
        Text.printNotes(out(), snapshot);
        rows.forEach(figures -> print(figures, total));
    }

    private List<? extends HeapFigures> all(HeapSnapshot snapshot) {
        return switch (kind) {
            case SITE -> snapshot.sites();
            case CLASS -> snapshot.classes();
            case THREAD -> snapshot.threads();
        };
    }

    private void print(HeapFigures figures, Estimate total) {
        Estimate value = metric.of(figures);
        out().println(
                        String.format(
                                Locale.ROOT,
                                "%5.1f %%  %s  %s",
                                100 * value.value() / total.value(),
                                Text.of(metric, value),
                                PrintableText.of(name(figures))));
        if (figures instanceof HeapSite site) {
            Text.printStack(out(), site.stack(), ranking.depth(false));
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
                ? totals.threadName() + " (" + totals.threadId().orElse(-1) + ")"
                : "";
    }

    private JsonText json(HeapSnapshot snapshot, List<? extends HeapFigures> rows) {
        Estimate total = metric.of(snapshot.totals());
        JsonText json = CliJson.begin("top:1");
        CliJson.snapshot(json, "snapshot", snapshot, file());
        json.name("by").value(kind.name());
        json.name("metric").value(metric.name()).name("unit").value(metric.unit());
        CliJson.estimate(json, "total", total);
        json.name("rows").begin('[');
        for (HeapFigures figures : rows) {
            json.begin('{');
            if (figures instanceof HeapSite site) {
                CliJson.site(json, site.className(), site.stack(), ranking.depth(true));
            } else if (figures instanceof ThreadTotals totals) {
                json.name("thread")
                        .value(totals.threadName())
                        .name("id")
                        .value(totals.threadId().orElse(-1));
            } else {
                json.name("class").value(name(figures));
            }
            json.name("share").value(metric.of(figures).value() / total.value());
            CliJson.estimate(json, "figure", metric.of(figures));
            json.end('}');
        }
        return json.end(']').end('}');
    }
}
