// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heapsampler diff}. */
@Command(
        name = "diff",
        description = "Prints what has changed from one snapshot to another of the same program.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
final class DiffCommand implements Callable<Integer> {

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "EARLIER", description = "The snapshot to compare with.")
    private Path earlier = Path.of("");

    @Parameters(index = "1", paramLabel = "LATER", description = "The snapshot that is compared.")
    private Path later = Path.of("");

    @Option(
            names = {"-g", "--growing"},
            description =
                    "Only sites that grow. On average at most 5 %% of those listed are false.")
    private boolean isGrowingOnly;

    @Option(
            names = {"-m", "--metric"},
            description = "What ranks: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if not given.")
    private HeapMetric metric = HeapMetric.LIVE_BYTES;

    @Mixin private Ranking ranking = new Ranking();

    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws FailureException {
        if (output.isGiven() && output.format().orElse(ExportFormat.HSNAP) != ExportFormat.PPROF) {
            throw new ParameterException(
                    spec.commandLine(),
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
                    spec.commandLine(),
                    output.orBeside(later, ExportFormat.PPROF),
                    out -> after.writeTo(out, ExportFormat.PPROF.with(options)));
        } else {
            print(spec.commandLine().getOut(), after.diff(before));
        }
        return 0;
    }

    private Estimate change(SiteDelta delta) {
        return metric.of(delta);
    }

    /** The more a site has changed, or has surely grown, the smaller. */
    private double rank(SiteDelta delta) {
        return isGrowingOnly ? -change(delta).low() : -change(delta).value();
    }

    private void print(PrintWriter out, HeapDiff diff) {
        HeapSnapshot before = diff.earlier();
        out.println("Before: " + Text.head(before));
        out.println("After:  " + Text.head(diff.later()));
        out.println(
                metric.pprofName()
                        + ": from "
                        + Text.of(metric, metric.of(before.totals()))
                        + " to "
                        + Text.of(metric, metric.of(diff.later().totals())));
        if (diff.elapsed().isNegative()) {
            out.println("Note: the first snapshot was taken after the second one.");
        }
        Text.printNotes(out, diff.later());
        List<SiteDelta> deltas =
                (isGrowingOnly ? diff.growing() : diff.deltas())
                        .stream()
                                .filter(delta -> change(delta).value() != 0)
                                .sorted(Comparator.comparingDouble(this::rank))
                                .limit(ranking.count())
                                .toList();
        if (deltas.isEmpty()) {
            out.println("No site has " + (isGrowingOnly ? "grown." : "changed."));
        }
        for (SiteDelta delta : deltas) {
            String sign = change(delta).value() > 0 ? "+" : "";
            out.println(
                    sign
                            + Text.of(metric, change(delta))
                            + "  "
                            + Text.printable(delta.className()));
            Text.printStack(out, delta.stack(), ranking.depth());
        }
    }
}
