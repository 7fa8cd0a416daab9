// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.export.ExportFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The options of one start of the agent, checked: what cannot be is refused when they are made. */
final class AgentOptions {

    private static final String COUNT = "allocationCount";

    /** What is written while the application runs. */
    enum RecorderKind {
        FLAME,
        LIFETIME,
        SNAPSHOT,
        NONE
    }

    /** By what samples are chosen. */
    enum StrategyKind {
        BYTES,
        ALLOCATION_COUNT,
        TIME
    }

    private final OptionValues values;

    final RecorderKind recorder;
    final StrategyKind strategy;

    /** Mean bytes between two samples of a thread. */
    final long interval;

    /** Mean allocations between two samples of a thread. */
    final int sampleRate;

    /** At most one sample in so long a time. */
    final Duration samplePeriod;

    final Duration delay;
    final int maxDepth;

    /** Empty for the value that other holders request. */
    final OptionalDouble maxOverhead;

    /** Empty for what suits the collector. */
    final OptionalInt maxTracked;

    /** Empty for {@code stacks}. */
    final Optional<ExportFormat> format;

    final StackLines.Style style;
    final SiteFilter filter;
    final boolean isLive;

    /** Where the recorder writes; for snapshots the name from which those of the ring are made. */
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
     * @throws OptionException if a value is not valid, or two do not fit
     */
    AgentOptions(OptionValues values) throws OptionException {
        this.values = values;
        recorder = recorderKind();
        strategy = strategyKind();
        interval = values.bytes(Option.INTERVAL);
        sampleRate = (int) values.number(Option.SAMPLE_RATE, 1, Integer.MAX_VALUE);
        samplePeriod = Duration.ofMillis(values.number(Option.SAMPLE_INTERVAL_MS, 1, 3_600_000));
        delay = Duration.ofSeconds(values.number(Option.SAMPLE_DELAY_SECS, 0, Integer.MAX_VALUE));
        maxDepth = (int) values.number(Option.MAX_DEPTH, 1, 1024);
        maxOverhead = values.optionalShare(Option.MAX_OVERHEAD);
        maxTracked = values.optionalNumber(Option.MAX_TRACKED, 2_097_152);
        format = formatOrStacks();
        style = stackStyle();
        filter = new SiteFilter(values.names(Option.INCLUDE), values.names(Option.EXCLUDE));
        isLive = values.isTrue(Option.LIVE);
        outputFile = values.path(Option.OUTPUT_FILE).orElseGet(() -> values.path(usualName()));
        outputInterval = intervalOfOutput();
        lifetimeBytes = values.number(Option.LIFETIME_MAX_MB, 1, 1_048_576) << 20;
        snapshotFiles = (int) values.number(Option.SNAPSHOT_FILES, 1, 10_000);
        snapshotBytes = values.number(Option.SNAPSHOT_MAX_MB, 1, 1_048_576) << 20;
        httpPort = values.optionalNumber(Option.HTTP_PORT, 65_535);
        httpTokenFile = values.path(Option.HTTP_TOKEN_FILE);
        reportOnExit = values.path(Option.REPORT_ON_EXIT);
        reportOnOom = values.path(Option.REPORT_ON_OOM);
        hasDoctor = values.isTrue(Option.DOCTOR);
        doctorFile = values.path(Option.DOCTOR_FILE);
        hasFlightRecorder = values.isTrue(Option.DOCTOR_FLIGHT_RECORDER);
        exitTimeout = Duration.ofMillis(values.number(Option.EXIT_TIMEOUT_MS, 0, 60_000));
        requireThatTheyFit();
    }

    private RecorderKind recorderKind() throws OptionException {
        return switch (values.choice(Option.RECORDER, "flame", "lifetime", "snapshot", "none")) {
            case "flame" -> RecorderKind.FLAME;
            case "lifetime" -> RecorderKind.LIFETIME;
            case "snapshot" -> RecorderKind.SNAPSHOT;
            default -> RecorderKind.NONE;
        };
    }

    /** The strategy; where only a rate or a period is given, that also determines the strategy. */
    private StrategyKind strategyKind() throws OptionException {
        String word = values.choice(Option.SAMPLE_STRATEGY, "bytes", COUNT, "time");
        if (!values.isGiven(Option.SAMPLE_STRATEGY)) {
            // Of both, the flame sampler took the rate.
            boolean hasPeriod = values.isGiven(Option.SAMPLE_INTERVAL_MS);
            word = values.isGiven(Option.SAMPLE_RATE) ? COUNT : hasPeriod ? "time" : word;
        }
        return switch (word) {
            case COUNT -> StrategyKind.ALLOCATION_COUNT;
            case "time" -> StrategyKind.TIME;
            default -> StrategyKind.BYTES;
        };
    }

    private Optional<ExportFormat> formatOrStacks() throws OptionException {
        String word = values.text(Option.OUTPUT_FORMAT);
        if (word.equalsIgnoreCase("stacks")) {
            return Optional.empty();
        }
        return Optional.of(
                Arrays.stream(ExportFormat.values())
                        .filter(known -> known.name().equalsIgnoreCase(word))
                        .findFirst()
                        .orElseThrow(() -> values.invalid(Option.OUTPUT_FORMAT)));
    }

    private StackLines.Style stackStyle() throws OptionException {
        String verbosity =
                values.choice(
                        Option.STACK_TRACE_VERBOSITY,
                        "methodName",
                        "methodClassName",
                        "methodClassLineNumber");
        return new StackLines.Style(
                switch (verbosity) {
                    case "methodName" -> StackLines.Verbosity.METHOD;
                    case "methodClassName" -> StackLines.Verbosity.CLASS;
                    default -> StackLines.Verbosity.LINE;
                },
                values.choice(Option.TYPE_NAMES, "slashed", "dotted").equals("slashed"),
                values.isTrue(Option.RECORD_SIZE),
                values.choice(Option.OUTPUT_BYTES, "estimated", "raw").equals("raw"));
    }

    private String usualName() {
        return switch (recorder) {
            case LIFETIME -> "lifetime.txt";
            case SNAPSHOT -> "heap" + ExportFormat.HSNAP.suffix();
            default -> format.map(chosen -> "heap" + chosen.suffix()).orElse("stacks.txt");
        };
    }

    /** A second for what is small, a minute for the rest. */
    private Duration intervalOfOutput() throws OptionException {
        if (values.isGiven(Option.OUTPUT_INTERVAL_SECS)) {
            return Duration.ofSeconds(values.number(Option.OUTPUT_INTERVAL_SECS, 1, 86_400));
        }
        return Duration.ofSeconds(writesLines() ? 1 : 60);
    }

    private boolean writesLines() {
        return recorder == RecorderKind.LIFETIME
                || (recorder == RecorderKind.FLAME && format.isEmpty());
    }

    private void requireThatTheyFit() throws OptionException {
        requireThatTheyFitTheStrategy();
        requireThatTheyFitTheRecorder();
        values.requireFor(Option.HTTP_TOKEN_FILE, httpPort.isPresent(), "httpPort");
        values.requireFor(Option.DOCTOR_FILE, hasDoctor, "doctor=true");
        values.requireFor(Option.DOCTOR_FLIGHT_RECORDER, hasDoctor, "doctor=true");
        requireThatFilesCanBe();
    }

    /** The flame sampler's files have both a rate and a period, whichever of them counts. */
    private void requireThatTheyFitTheStrategy() throws OptionException {
        boolean isOfFlameSampler = strategy != StrategyKind.BYTES;
        String others = "sample.strategy=allocationCount or time";
        values.requireFor(Option.SAMPLE_RATE, isOfFlameSampler, others);
        values.requireFor(Option.SAMPLE_INTERVAL_MS, isOfFlameSampler, others);
        values.requireFor(
                Option.INTERVAL,
                strategy != StrategyKind.ALLOCATION_COUNT,
                "sample.strategy=bytes or time");
    }

    private void requireThatTheyFitTheRecorder() throws OptionException {
        boolean isFlame = recorder == RecorderKind.FLAME;
        values.requireFor(Option.OUTPUT_FORMAT, isFlame, "recorder=flame");
        values.requireFor(Option.LIVE, isFlame, "recorder=flame");
        List<Option> forLines =
                List.of(
                        Option.INCLUDE,
                        Option.EXCLUDE,
                        Option.STACK_TRACE_VERBOSITY,
                        Option.RECORD_SIZE,
                        Option.OUTPUT_BYTES,
                        Option.TYPE_NAMES);
        for (Option option : forLines) {
            values.requireFor(
                    option,
                    writesLines(),
                    "recorder=lifetime, or recorder=flame with outputFormat=stacks");
        }
        values.requireFor(
                Option.LIFETIME_MAX_MB, recorder == RecorderKind.LIFETIME, "recorder=lifetime");
        boolean isSnapshot = recorder == RecorderKind.SNAPSHOT;
        values.requireFor(Option.SNAPSHOT_FILES, isSnapshot, "recorder=snapshot");
        values.requireFor(Option.SNAPSHOT_MAX_MB, isSnapshot, "recorder=snapshot");
        values.requireFor(
                Option.OUTPUT_FILE,
                recorder != RecorderKind.NONE,
                "recorder=flame, lifetime or snapshot");
    }

    private void requireThatFilesCanBe() throws OptionException {
        switch (recorder) {
            case FLAME -> values.requireFile(Option.OUTPUT_FILE, outputFile);
            case LIFETIME -> values.requireFileInPlace(Option.OUTPUT_FILE, outputFile);
            case SNAPSHOT -> values.requireFileInNewFolder(Option.OUTPUT_FILE, outputFile);
            case NONE -> {}
        }
        if (reportOnOom.isPresent()) {
            values.requireReport(Option.REPORT_ON_OOM, reportOnOom.get());
        }
        if (doctorFile.isPresent()) {
            if (DoctorFormat.ofFileName(doctorFile.get().toString()).isEmpty()) {
                throw values.invalid(Option.DOCTOR_FILE);
            }
            values.requireFile(Option.DOCTOR_FILE, doctorFile.get());
        }
        if (reportOnExit.isPresent()) {
            Path file = reportOnExit.get();
            if (ExportFormat.ofFileName(file.toString()).isEmpty()) {
                throw values.invalid(Option.REPORT_ON_EXIT);
            }
            values.requireFile(Option.REPORT_ON_EXIT, file);
        }
    }
}
