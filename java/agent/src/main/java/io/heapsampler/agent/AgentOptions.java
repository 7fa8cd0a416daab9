// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.SnapshotFormat;
import io.heapsampler.agent.OptionReader.OptionException;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
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

    private final OptionReader in;

    final RecorderKind recorder;
    final StrategyKind strategy;

    /** Mean bytes between two samples of a thread. */
    final long interval;

    /** Mean allocations between two samples of a thread. */
    final int sampleRate;

    /** The minimum time between two samples. */
    final Duration samplePeriod;

    final Duration delay;
    final int maxDepth;

    /** Empty for the value that other holders request. */
    final OptionalDouble maxOverhead;

    /** Empty for what suits the collector. */
    final OptionalInt maxTracked;

    /** The format of the recorder FLAME: {@link #lines}, or that of an exporter. */
    final SnapshotFormat format;

    final StackLines lines;

    /** Whether the recorder writes {@link #lines}. */
    final boolean writesLines;

    /** The file of the recorder; for snapshots the name from which those of the ring are made. */
    final Path outputFile;

    final Duration outputInterval;
    final long lifetimeBytes;
    final int snapshotFiles;
    final long snapshotBytes;
    final OptionalInt httpPort;
    final Optional<Path> httpTokenFile;
    final Optional<Path> reportOnExit;
    final Optional<Path> reportOnOom;
    final boolean hasDoctor;
    final Optional<Path> doctorFile;
    final boolean hasFlightRecorder;
    final Duration exitTimeout;

    /**
     * Checks the options.
     *
     * @throws OptionException if a value is not valid, or two options exclude each other
     */
    AgentOptions(OptionReader in) {
        this.in = in;
        recorder = in.constant(Option.RECORDER, RecorderKind.class);
        strategy = strategyKind();
        interval = in.number(Option.INTERVAL);
        sampleRate = (int) in.number(Option.SAMPLE_RATE);
        samplePeriod = Duration.ofMillis(in.number(Option.SAMPLE_INTERVAL_MS));
        delay = Duration.ofSeconds(in.number(Option.SAMPLE_DELAY_SECS));
        maxDepth = (int) in.number(Option.MAX_DEPTH);
        maxOverhead =
                in.given(Option.MAX_OVERHEAD)
                        .map(share -> OptionalDouble.of((Double) share))
                        .orElse(OptionalDouble.empty());
        maxTracked = optionalNumber(Option.MAX_TRACKED);
        lines =
                new StackLines(
                        in.constant(Option.STACK_TRACE_VERBOSITY, StackLines.Verbosity.class),
                        in.word(Option.TYPE_NAMES).equals("slashed"),
                        in.isTrue(Option.RECORD_SIZE),
                        in.word(Option.OUTPUT_BYTES).equals("raw"),
                        in.isTrue(Option.LIVE),
                        in.names(Option.INCLUDE),
                        in.names(Option.EXCLUDE));
        format = format();
        writesLines =
                recorder == RecorderKind.LIFETIME
                        || (recorder == RecorderKind.FLAME && format == lines);
        outputFile = in.path(Option.OUTPUT_FILE).orElseGet(() -> in.path(usualName()));
        outputInterval =
                in.given(Option.OUTPUT_INTERVAL_SECS)
                        .map(seconds -> Duration.ofSeconds((Long) seconds))
                        .orElse(Duration.ofSeconds(writesLines ? 1 : 60));
        lifetimeBytes = in.number(Option.LIFETIME_MAX_MB) << 20;
        snapshotFiles = (int) in.number(Option.SNAPSHOT_FILES);
        snapshotBytes = in.number(Option.SNAPSHOT_MAX_MB) << 20;
        httpPort = optionalNumber(Option.HTTP_PORT);
        httpTokenFile = in.path(Option.HTTP_TOKEN_FILE);
        reportOnExit = in.path(Option.REPORT_ON_EXIT);
        reportOnOom = in.path(Option.REPORT_ON_OOM);
        hasDoctor = in.isTrue(Option.DOCTOR);
        doctorFile = in.path(Option.DOCTOR_FILE);
        hasFlightRecorder = in.isTrue(Option.DOCTOR_FLIGHT_RECORDER);
        exitTimeout = Duration.ofMillis(in.number(Option.EXIT_TIMEOUT_MS));
        requireFit();
        requireFiles();
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
                .with(ExportOptions.builder().metric(metric).build());
    }

    private String usualName() {
        return switch (recorder) {
            case LIFETIME -> "lifetime.txt";
            case SNAPSHOT -> "heap" + ExportFormat.HSNAP.suffix();
            default -> format == lines ? "stacks.txt" : "heap" + format.suffix();
        };
    }

    private void requireFit() {
        // The files of the flame sampler have a rate and a period, whichever is in force.
        in.require(
                strategy != StrategyKind.BYTES,
                "sample.strategy=allocationCount or time",
                Option.SAMPLE_RATE,
                Option.SAMPLE_INTERVAL_MS);
        in.require(
                strategy != StrategyKind.ALLOCATION_COUNT,
                "sample.strategy=bytes or time",
                Option.INTERVAL);
        in.require(
                recorder == RecorderKind.FLAME,
                "recorder=flame",
                Option.OUTPUT_FORMAT,
                Option.LIVE);
        in.require(
                writesLines,
                "recorder=lifetime, or recorder=flame with outputFormat=stacks",
                Option.INCLUDE,
                Option.EXCLUDE,
                Option.STACK_TRACE_VERBOSITY,
                Option.RECORD_SIZE,
                Option.OUTPUT_BYTES,
                Option.TYPE_NAMES);
        in.require(recorder == RecorderKind.LIFETIME, "recorder=lifetime", Option.LIFETIME_MAX_MB);
        in.require(
                recorder == RecorderKind.SNAPSHOT,
                "recorder=snapshot",
                Option.SNAPSHOT_FILES,
                Option.SNAPSHOT_MAX_MB);
        in.require(
                recorder != RecorderKind.NONE,
                "recorder=flame, lifetime or snapshot",
                Option.OUTPUT_FILE);
        in.require(httpPort.isPresent(), "httpPort", Option.HTTP_TOKEN_FILE);
        in.require(hasDoctor, "doctor=true", Option.DOCTOR_FILE, Option.DOCTOR_FLIGHT_RECORDER);
    }

    private void requireFiles() {
        switch (recorder) {
            case FLAME -> in.requireFile(Option.OUTPUT_FILE, outputFile);
            case LIFETIME -> in.requireFileInPlace(Option.OUTPUT_FILE, outputFile);
            case SNAPSHOT -> in.requireFileInNewFolder(Option.OUTPUT_FILE, outputFile);
            case NONE -> {}
        }
        reportOnOom.ifPresent(file -> in.requireReport(Option.REPORT_ON_OOM, file));
        doctorFile.ifPresent(
                file ->
                        requireFile(
                                Option.DOCTOR_FILE,
                                file,
                                DoctorFormat.ofFileName(file.toString()).isPresent()));
        reportOnExit.ifPresent(
                file ->
                        requireFile(
                                Option.REPORT_ON_EXIT,
                                file,
                                ExportFormat.ofFileName(file.toString()).isPresent()));
    }

    private void requireFile(Option option, Path file, boolean hasKnownEnding) {
        if (!hasKnownEnding) {
            throw in.invalid(option);
        }
        in.requireFile(option, file);
    }
}
