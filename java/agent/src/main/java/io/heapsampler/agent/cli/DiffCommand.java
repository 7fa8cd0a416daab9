// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.internal.shared.PrintableText;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code heapsampler diff}. */
@Command(
        name = "diff",
        description = "Prints the changes between two snapshots of the same program.")
final class DiffCommand extends CliCommand {

    @Parameters(index = "0", paramLabel = "EARLIER", description = "The snapshot to compare with.")
    private Path earlier = Path.of("");

    @Parameters(index = "1", paramLabel = "LATER", description = "The snapshot to compare.")
    private Path later = Path.of("");

    @Option(
            names = {"-g", "--growing"},
            description =
                    "Only growing sites. On average at most 5 %% of the listed sites are false.")
    private boolean isGrowingOnly;

    @Mixin private Ranking ranking = new Ranking(HeapMetric.LIVE_BYTES);

    @Mixin private Only only = new Only();

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        if (output.isGiven() && output.format().orElse(ExportFormat.HSNAP) != ExportFormat.PPROF) {
            throw wrongUsage(
                    "A difference is written as pprof only: end the name of the output with "
                            + ExportFormat.PPROF.suffix()
                            + ".");
        }
        HeapSnapshot after = only.of(readSnapshot(later));
        HeapSnapshot before = only.of(readSnapshot(earlier));
        if (output.isGiven()) {
            ExportOptions options =
                    ExportOptions.builder().metric(ranking.metric()).comparedWith(before).build();
            output.writeBeside(
                    this,
                    later,
                    ExportFormat.PPROF,
                    out -> after.writeTo(out, ExportFormat.PPROF.with(options)));
        } else if (isJson()) {
            print(json(after.diff(before)));
        } else {
            print(after.diff(before));
        }
    }

    private Estimate change(SiteDelta delta) {
        return ranking.metric().of(delta);
    }

    /** Returns the sites with the largest changes, or the surest growth. */
    private List<SiteDelta> rows(HeapDiff diff) {
        Comparator<SiteDelta> order =
                Comparator.comparingDouble(
                        delta -> isGrowingOnly ? -change(delta).low() : -change(delta).value());
        return (isGrowingOnly ? diff.growing() : diff.deltas())
                .stream()
                        .filter(delta -> change(delta).value() != 0)
                        .sorted(order)
                        .limit(ranking.count())
                        .toList();
    }

    private void print(HeapDiff diff) {
        HeapMetric metric = ranking.metric();
        out().println("Before: " + Printing.head(diff.earlier()));
        out().println("After:  " + Printing.head(diff.later()));
        out().println(
                        "%s: from %s to %s"
                                .formatted(
                                        metric.pprofName(),
                                        total(diff.earlier()),
                                        total(diff.later())));
        if (diff.elapsed().isNegative()) {
            out().println("Note: the first snapshot was taken after the second one.");
        }
        Printing.printNotes(out(), diff.later());
        List<SiteDelta> deltas = rows(diff);
        if (deltas.isEmpty()) {
            out().println("No site has " + (isGrowingOnly ? "grown." : "changed."));
        }
        for (SiteDelta delta : deltas) {
            String sign = change(delta).value() > 0 ? "+" : "";
            String change = sign + Printing.estimate(metric, change(delta));
            out().println(change + "  " + PrintableText.of(delta.className()));
            Printing.printStack(out(), delta.stack(), ranking.depth(false));
        }
    }

    private String total(HeapSnapshot snapshot) {
        return Printing.estimate(ranking.metric(), ranking.metric().of(snapshot.totals()));
    }

    private JsonText json(HeapDiff diff) {
        HeapMetric metric = ranking.metric();
        JsonText json = Printing.json("diff:1");
        Printing.json(json, "earlier", diff.earlier(), earlier);
        Printing.json(json, "later", diff.later(), later);
        json.name("elapsedMillis").value(diff.elapsed().toMillis());
        json.name("growingOnly").value(isGrowingOnly);
        Printing.json(json, metric);
        Printing.json(json, "before", metric.of(diff.earlier().totals()));
        Printing.json(json, "after", metric.of(diff.later().totals()));
        json.name("rows").begin('[');
        for (SiteDelta delta : rows(diff)) {
            json.begin('{');
            Printing.json(json, delta.className(), delta.stack(), ranking.depth(true));
            Printing.json(json, "change", change(delta));
            json.end('}');
        }
        return json.end(']').end('}');
    }
}
