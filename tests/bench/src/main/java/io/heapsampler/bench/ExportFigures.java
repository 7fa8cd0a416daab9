// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.export.ExportFormat;
import java.util.List;
import java.util.Locale;

/**
 * How long exports of 10,000 sites take, and how large they are, in a JVM of its own for each
 * format; {@code tests/bench/run export}. JFR takes the longest: its writer makes an array of 32
 * KiB for each event.
 */
final class ExportFigures {

    private static final double MEBIBYTE = 1 << 20;
    private static final int SITES = 10_000;
    private static final int LIVE_PER_SITE = 10;
    private static final int RUNS = Effort.of(40, 3);
    private static final int WARM_UP_SECONDS = Effort.of(15, 0);

    private ExportFigures() {}

    public static void main(String[] arguments) {
        for (ExportFormat format : ExportFormat.values()) {
            measure(format, "alike", "export_" + format.name().toLowerCase(Locale.ROOT));
        }
        measure(ExportFormat.PPROF, "random", "export_pprof_random");
    }

    private static void measure(ExportFormat format, String stacks, String name) {
        Fork fork =
                Fork.run(
                        ExportTime.class,
                        List.of("-Xms1g", "-Xmx1g"),
                        format,
                        SITES,
                        LIVE_PER_SITE,
                        RUNS,
                        stacks,
                        WARM_UP_SECONDS);
        Report.say(name + "_first_ms", fork.get("first_ms"));
        Report.say(name + "_median_cpu_ms", fork.get("median_cpu_ms"));
        if (format == ExportFormat.PPROF) {
            Report.judge(name + "_median_ms", fork.get("median_ms"), 50);
            Report.judge(name + "_mib", fork.get("bytes") / MEBIBYTE, 2);
        } else {
            Report.say(name + "_median_ms", fork.get("median_ms"));
            Report.say(name + "_mib", fork.get("bytes") / MEBIBYTE);
        }
        Report.say(name + "_java_mib", fork.get("java_bytes") / MEBIBYTE);
    }
}
