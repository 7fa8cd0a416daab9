// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.ClassTotals;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
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

    @Mixin private Ranking ranking = new Ranking(HeapMetric.ALLOCATED_BYTES);

    @Mixin private Only only = new Only();

    private double figure(HeapFigures figures) {
        return ranking.metric().of(figures).value();
    }

    @Override
    void execute() throws FailureException {
        if (only.label() != null && kind == Kind.THREAD) {
            throw wrongUsage(
                    "Allocations are not counted by thread and label together. Leave out --only, or"
                            + " --by THREAD.");
        }
        HeapSnapshot snapshot = only.of(readSnapshot(file()));
        List<? extends HeapFigures> all =
                switch (kind) {
                    case SITE -> snapshot.sites();
                    case CLASS -> snapshot.classes();
                    case THREAD -> snapshot.threads();
                };
        Comparator<HeapFigures> bySize = Comparator.comparingDouble(each -> -figure(each));
        List<? extends HeapFigures> rows =
                all.stream()
                        .filter(each -> figure(each) > 0)
                        .sorted(bySize)
                        .limit(ranking.count())
                        .toList();
        if (isJson()) {
            print(json(snapshot, rows));
        } else {
            print(snapshot, rows);
        }
    }

    private void print(HeapSnapshot snapshot, List<? extends HeapFigures> rows) {
        HeapMetric metric = ranking.metric();
        Estimate total = metric.of(snapshot.totals());
        out().println(Printing.head(snapshot));
        out().println(
                        "%s: %s in total"
                                .formatted(metric.pprofName(), Printing.estimate(metric, total)));
        Printing.printNotes(out(), snapshot);
        for (HeapFigures row : rows) {
            String share = String.format(Locale.ROOT, "%5.1f", 100 * figure(row) / total.value());
            String value = Printing.estimate(metric, metric.of(row));
            out().println(share + " %  " + value + "  " + PrintableText.of(name(row)));
            if (row instanceof HeapSite site) {
                Printing.printStack(out(), site.stack(), ranking.depth(false));
            }
        }
    }

    private static String name(HeapFigures row) {
        if (row instanceof ThreadTotals thread) {
            return thread.threadName() + " (" + thread.threadId().orElse(-1) + ")";
        }
        return row instanceof HeapSite site ? site.className() : ((ClassTotals) row).className();
    }

    private JsonText json(HeapSnapshot snapshot, List<? extends HeapFigures> rows) {
        HeapMetric metric = ranking.metric();
        Estimate total = metric.of(snapshot.totals());
        JsonText json = Printing.json("top:1");
        Printing.json(json, "snapshot", snapshot, file());
        json.name("by").value(kind.name());
        Printing.json(json, metric);
        Printing.json(json, "total", total);
        json.name("rows").begin('[');
        for (HeapFigures row : rows) {
            json.begin('{');
            if (row instanceof HeapSite site) {
                Printing.json(json, site.className(), site.stack(), ranking.depth(true));
            } else if (row instanceof ThreadTotals thread) {
                json.name("thread").value(thread.threadName());
                json.name("id").value(thread.threadId().orElse(-1));
            } else {
                json.name("class").value(name(row));
            }
            json.name("share").value(figure(row) / total.value());
            Printing.json(json, "figure", metric.of(row));
            json.end('}');
        }
        return json.end(']').end('}');
    }
}
