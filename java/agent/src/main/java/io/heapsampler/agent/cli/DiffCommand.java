// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.agent.Text;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.JsonText;
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

    @Option(
            names = {"-m", "--metric"},
            description =
                    "The figure to rank by: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private HeapMetric metric = HeapMetric.LIVE_BYTES;

    @Mixin private Ranking ranking = new Ranking();

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        if (output.isGiven() && output.format().orElse(ExportFormat.HSNAP) != ExportFormat.PPROF) {
            throw wrongUsage(
                    "A difference is written as pprof only: end the name of the output with "
                            + ExportFormat.PPROF.suffix()
                            + ".");
        }
        HeapSnapshot after = Snapshots.read(later);
        HeapSnapshot before = Snapshots.read(earlier);
        if (output.isGiven()) {
            ExportOptions options =
                    ExportOptions.builder().metric(metric).comparedWith(before).build();
            output.write(
                    this,
                    output.orBeside(later, ExportFormat.PPROF),
                    ExportFormat.PPROF.name(),
                    out -> after.writeTo(out, ExportFormat.PPROF.with(options)));
        } else if (isJson()) {
            print(json(after.diff(before)));
        } else {
            print(after.diff(before));
        }
    }

    private Estimate change(SiteDelta delta) {
        return metric.of(delta);
    }

    /** The more a site has changed, or has surely grown, the smaller. */
    private double rank(SiteDelta delta) {
        return isGrowingOnly ? -change(delta).low() : -change(delta).value();
    }

    private List<SiteDelta> rows(HeapDiff diff) {
        return (isGrowingOnly ? diff.growing() : diff.deltas())
                .stream()
                        .filter(delta -> change(delta).value() != 0)
                        .sorted(Comparator.comparingDouble(this::rank))
                        .limit(ranking.count())
                        .toList();
    }

    private void print(HeapDiff diff) {
        out().println("Before: " + Text.head(diff.earlier()));
        out().println("After:  " + Text.head(diff.later()));
        out().println(
                        metric.pprofName()
                                + ": from "
                                + Text.of(metric, metric.of(diff.earlier().totals()))
                                + " to "
                                + Text.of(metric, metric.of(diff.later().totals())));
        if (diff.elapsed().isNegative()) {
            out().println("Note: the first snapshot was taken after the second one.");
        }
        Text.printNotes(out(), diff.later());
        List<SiteDelta> deltas = rows(diff);
        if (deltas.isEmpty()) {
            out().println("No site has " + (isGrowingOnly ? "grown." : "changed."));
        }
        for (SiteDelta delta : deltas) {
            String sign = change(delta).value() > 0 ? "+" : "";
            out().println(
                            sign
                                    + Text.of(metric, change(delta))
                                    + "  "
                                    + Text.printable(delta.className()));
            Text.printStack(out(), delta.stack(), ranking.depth(false));
        }
    }

    private JsonText json(HeapDiff diff) {
        JsonText json = CliJson.begin("diff:1");
        CliJson.snapshot(json, "earlier", diff.earlier(), earlier);
        CliJson.snapshot(json, "later", diff.later(), later);
        json.name("elapsedMillis").value(diff.elapsed().toMillis());
        json.name("growingOnly").value(isGrowingOnly);
        json.name("metric").value(metric.name()).name("unit").value(metric.unit());
        CliJson.estimate(json, "before", metric.of(diff.earlier().totals()));
        CliJson.estimate(json, "after", metric.of(diff.later().totals()));
        json.name("rows").begin('[');
        for (SiteDelta delta : rows(diff)) {
            json.begin('{');
            CliJson.site(json, delta.className(), delta.stack(), ranking.depth(true));
            CliJson.estimate(json, "change", change(delta));
            json.end('}');
        }
        return json.end(']').end('}');
    }
}
