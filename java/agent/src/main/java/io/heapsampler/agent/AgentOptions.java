// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/** The checked options of one start of the agent. */
final class AgentOptions {

    /** The files that are written while the application runs. */
    enum RecorderKind {
        FLAME,
        LIFETIME,
        SNAPSHOT,
        NONE
    }

    /** How samples are chosen. */
    enum StrategyKind {
        BYTES,
        ALLOCATION_COUNT,
        TIME
    }

    /** Enough for the deaths of a second. */
    private static final int MAX_DEAD_FOR_LIFETIMES = 32_768;

    private final OptionReader in;

    final RecorderKind recorder;
    final SamplerOptions sampler;
    final Duration delay;

    /** The format of the recorder FLAME: {@link #lines}, or that of an exporter. */
    final SnapshotFormat format;

    final StackLines lines;

    /** Whether the recorder writes {@link #lines}. */
    final boolean writesLines;

    /** The file of the recorder; for snapshots the name from which those of the ring are made. */
    final Path outputFile;

    final Duration outputInterval;

    /** The same for large files. */
    final Duration largeInterval;

    final long lifetimeBytes;
    final int snapshotFiles;
    final long snapshotBytes;
    final OptionalInt httpPort;
    final Optional<Path> httpTokenFile;
    final Optional<Path> reportOnExit;
    final boolean hasDoctor;
    final Optional<Path> doctorFile;
    final boolean hasJvmLog;
    final boolean hasDoctorHolders;
    final Duration exitTimeout;
    private final double nearLimitShare;
    private final boolean hasLabels;
    private final Optional<String> label;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if a value is not valid, or two options exclude each other
     */
    AgentOptions(OptionReader in) {
        this.in = in;
        recorder = in.constant(Option.RECORDER, RecorderKind.class);
        delay = Duration.ofSeconds(in.number(Option.SAMPLE_DELAY_SECS));
        lines =
                new StackLines(
                        in.constant(Option.STACK_TRACE_VERBOSITY, StackLines.Verbosity.class),
                        in.word(Option.TYPE_NAMES).equals("slashed"),
                        in.isTrue(Option.RECORD_SIZE),
                        in.word(Option.OUTPUT_BYTES).equals("raw"),
                        in.isTrue(Option.LIVE),
                        in.names(Option.INCLUDE),
                        in.names(Option.EXCLUDE));
        hasLabels = in.isTrue(Option.LABELS);
        label = in.given(Option.LABEL).map(key -> (String) key);
        format = format();
        writesLines =
                recorder == RecorderKind.LIFETIME
                        || (recorder == RecorderKind.FLAME && format == lines);
        outputFile = in.path(Option.OUTPUT_FILE).orElseGet(() -> in.path(usualName()));
        outputInterval =
                in.given(Option.OUTPUT_INTERVAL_SECS)
                        .map(seconds -> Duration.ofSeconds((Long) seconds))
                        .orElse(Duration.ofSeconds(writesLines ? 1 : 60));
        boolean isChosen = in.given(Option.OUTPUT_INTERVAL_SECS).isPresent();
        largeInterval = isChosen || !writesLines ? outputInterval : Duration.ofSeconds(10);
        lifetimeBytes = in.number(Option.LIFETIME_MAX_MB) << 20;
        snapshotFiles = (int) in.number(Option.SNAPSHOT_FILES);
        snapshotBytes = in.number(Option.SNAPSHOT_MAX_MB) << 20;
        httpPort = optionalNumber(Option.HTTP_PORT);
        httpTokenFile = in.path(Option.HTTP_TOKEN_FILE);
        reportOnExit = in.path(Option.REPORT_ON_EXIT);
        hasDoctor = in.isTrue(Option.DOCTOR);
        doctorFile = in.path(Option.DOCTOR_FILE);
        hasJvmLog = in.isTrue(Option.DOCTOR_JVM_LOG);
        hasDoctorHolders = in.isTrue(Option.DOCTOR_HOLDERS);
        exitTimeout = Duration.ofMillis(in.number(Option.EXIT_TIMEOUT_MS));
        nearLimitShare =
                in.given(Option.NEAR_LIMIT_SHARE)
                        .map(share -> (Double) share)
                        .orElseGet(() -> Double.valueOf(Option.NEAR_LIMIT_SHARE.usual));
        StrategyKind strategy = strategyKind();
        for (Option option : Option.values()) {
            in.require(option, isMet(option.need, strategy));
        }
        requireFiles();
        // Refuses labels that the format cannot choose now, not when the JVM ends.
        reportOnExit.ifPresent(
                file -> Objects.requireNonNull(formatOf(file).with(export().build())));
        sampler = samplerOptions(strategy);
    }

    /**
     * Returns how many times as long as writing took the next pause is at least; a killed
     * application leaves lines that are about a second old, and snapshots as old as requested.
     */
    int pauseShare() {
        return writesLines ? 10 : recorder == RecorderKind.SNAPSHOT ? 0 : 100;
    }

    private OptionalInt optionalNumber(Option option) {
        return in.given(option)
                .map(number -> OptionalInt.of(((Long) number).intValue()))
                .orElse(OptionalInt.empty());
    }

    /** A rate or a period without a strategy implies it; the flame sampler preferred the rate. */
    private StrategyKind strategyKind() {
        StrategyKind given = in.constant(Option.SAMPLE_STRATEGY, StrategyKind.class);
        if (in.isGiven(Option.SAMPLE_STRATEGY)) {
            return given;
        }
        if (in.isGiven(Option.SAMPLE_RATE)) {
            return StrategyKind.ALLOCATION_COUNT;
        }
        return in.isGiven(Option.SAMPLE_INTERVAL_MS) ? StrategyKind.TIME : given;
    }

    private SnapshotFormat format() {
        if (in.word(Option.OUTPUT_FORMAT).equals("stacks")) {
            return lines;
        }
        HeapMetric metric = lines.isLive() ? HeapMetric.LIVE_BYTES : HeapMetric.ALLOCATED_BYTES;
        return in.constant(Option.OUTPUT_FORMAT, ExportFormat.class)
                .with(export().metric(metric).build());
    }

    /** Returns a new builder with the labels that files have. */
    ExportOptions.Builder export() {
        ExportOptions.Builder export = ExportOptions.builder().labels(hasLabels);
        label.ifPresent(export::label);
        return export;
    }

    /** Returns whether files have all labels. */
    boolean hasAllLabels() {
        return hasLabels && label.isEmpty();
    }

    /** Returns the format of the report at the end, which its name selects. */
    static ExportFormat formatOf(Path report) {
        return ExportFormat.ofFileName(report.toString()).orElse(ExportFormat.HTML);
    }

    private String usualName() {
        return switch (recorder) {
            case LIFETIME -> "lifetime.txt";
            case SNAPSHOT -> "heap" + ExportFormat.HSNAP.suffix();
            default -> format == lines ? "stacks.txt" : "heap" + format.suffix();
        };
    }

    private SamplerOptions samplerOptions(StrategyKind strategy) {
        SamplerOptions.Builder builder = SamplerOptions.builder();
        builder.maxDepth((int) in.number(Option.MAX_DEPTH));
        long interval = in.number(Option.INTERVAL);
        Duration period = Duration.ofMillis(in.number(Option.SAMPLE_INTERVAL_MS));
        long rate = in.number(Option.SAMPLE_RATE);
        switch (strategy) {
            case BYTES -> builder.interval(interval);
            case ALLOCATION_COUNT -> builder.strategy(SamplingStrategy.allocations(rate));
            case TIME -> builder.interval(interval).strategy(SamplingStrategy.atMostOnePer(period));
        }
        if (recorder == RecorderKind.LIFETIME) {
            builder.maxDead(MAX_DEAD_FOR_LIFETIMES);
        }
        in.given(Option.MAX_OVERHEAD).ifPresent(share -> builder.maxOverhead((Double) share));
        optionalNumber(Option.MAX_TRACKED).ifPresent(builder::maxTracked);
        in.path(Option.REPORT_ON_OOM).ifPresent(builder::reportOnOom);
        in.path(Option.REPORT_NEAR_LIMIT)
                .ifPresent(file -> builder.reportNearLimit(nearLimitShare, file));
        return builder.build();
    }

    private boolean isMet(Option.Need need, StrategyKind strategy) {
        return switch (need) {
            case NOTHING -> true;
            case RATE -> strategy != StrategyKind.BYTES;
            case BYTES -> strategy != StrategyKind.ALLOCATION_COUNT;
            case FLAME -> recorder == RecorderKind.FLAME;
            case EXPORT ->
                    reportOnExit.isPresent()
                            || doctorFile.isPresent()
                            || (recorder == RecorderKind.FLAME && format != lines);
            case LINES -> writesLines;
            case LIFETIME -> recorder == RecorderKind.LIFETIME;
            case SNAPSHOT -> recorder == RecorderKind.SNAPSHOT;
            case FILES -> recorder != RecorderKind.NONE;
            case HTTP -> httpPort.isPresent();
            case NEAR_LIMIT -> in.isGiven(Option.REPORT_NEAR_LIMIT);
            case DOCTOR -> hasDoctor;
        };
    }

    private void requireFiles() {
        switch (recorder) {
            case FLAME -> in.requireFile(Option.OUTPUT_FILE, outputFile);
            case LIFETIME -> in.requireFileInPlace(Option.OUTPUT_FILE, outputFile);
            case SNAPSHOT -> in.requireFileInNewFolder(Option.OUTPUT_FILE, outputFile);
            case NONE -> {}
        }
        for (Option report : List.of(Option.REPORT_ON_OOM, Option.REPORT_NEAR_LIMIT)) {
            in.path(report).ifPresent(file -> in.requireReport(report, file));
        }
        doctorFile.ifPresent(file -> in.requireFile(Option.DOCTOR_FILE, file));
        reportOnExit.ifPresent(file -> in.requireFile(Option.REPORT_ON_EXIT, file));
    }
}
