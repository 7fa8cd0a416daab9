// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.agent.HeldByRequest;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.internal.shared.HeldByJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler heldby}. */
@Command(
        name = "heldby",
        description =
                "Prints which references keep the sampled live objects of a running JVM alive. It"
                        + " forces a collection, which pauses the JVM, and pauses it again for a"
                        + " moment to walk the heap. The JVM must be sampled already, such as by"
                        + " attach.")
final class HeldByCommand extends CliCommand.OnJvm {

    /** Less than a {@link Target} waits for a reply. */
    private static final Duration MOST_TIME = Duration.ofMinutes(4);

    /** The formats of the answer. */
    enum Format {
        /** A tree for people. */
        TEXT(".txt"),

        /** One JSON document, as over HTTP. */
        JSON(".json"),

        /** A profile whose stacks are holders. */
        PPROF(".pb.gz"),

        /** The snapshot with its holders. */
        HSNAP(".hsnap");

        private final String suffix;

        Format(String suffix) {
            this.suffix = suffix;
        }

        static Optional<Format> ofFileName(String name) {
            String lower = name.toLowerCase(Locale.ROOT);
            return Arrays.stream(values()).filter(each -> lower.endsWith(each.suffix)).findFirst();
        }

        boolean isBinary() {
            return this == PPROF || this == HSNAP;
        }
    }

    @Option(
            names = {"-t", "--top"},
            paramLabel = "SITES",
            description = "Only the objects of the sites with most live bytes.")
    private @Nullable Integer sites;

    @Option(
            names = {"-c", "--class"},
            paramLabel = "CLASS",
            description = "Only the objects of a class, such as byte[] or java.util.HashMap$Node.")
    private @Nullable String className;

    @Option(
            names = "--max-samples",
            paramLabel = "COUNT",
            description =
                    "Search for as many live samples at most; ${DEFAULT-VALUE} by default. More are"
                            + " more precise and take longer.")
    private int maxSamples = 1_000;

    @Option(
            names = "--max-pause",
            paramLabel = "TIME",
            converter = Quantities.Time.class,
            description =
                    "The longest pause of a walk within the JVM, such as 50ms; 10ms by default. A"
                            + " walk in a child process pauses the JVM while the child is made.")
    private Duration maxPause = Duration.ofMillis(10);

    @Option(
            names = "--max-time",
            paramLabel = "TIME",
            converter = Quantities.Time.class,
            description = "The time for the search, 4m at most; 30s by default.")
    private Duration maxTime = Duration.ofSeconds(30);

    @Option(
            names = {"-n", "--lines"},
            description = "The number of lines of the text; ${DEFAULT-VALUE} by default.")
    private int lines = 60;

    @Option(
            names = {"-f", "--format"},
            description =
                    "One of ${COMPLETION-CANDIDATES}; by default the ending of OUTPUT decides, or"
                            + " TEXT, with --json JSON.")
    private @Nullable Format format;

    @Mixin private Only only = new Only();

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        HeldByRequest request = request();
        Path file = output.file();
        Format chosen = chosen(file);
        if (file != null) {
            output.check(this, file);
        } else if (isJson() && chosen != Format.JSON) {
            throw wrongUsage("--json prints JSON, but -f names another format. Leave one out.");
        } else if (chosen.isBinary()) {
            throw wrongUsage(
                    chosen + " is binary. Name a file with -o, or -o - for standard output.");
        }
        try (Target target = attach()) {
            HeldBy answer = target.heldBy(request);
            if (file == null) {
                out().print(text(answer, chosen));
                out().flush();
            } else {
                output.write(this, file, chosen.name(), out -> write(answer, chosen, out));
            }
        }
    }

    private HeldByRequest request() {
        if (sites != null && (sites < 1 || className != null)) {
            throw wrongUsage(
                    sites < 1
                            ? "--top must be 1 or more: " + sites
                            : "--top and --class cannot go together. Leave one out.");
        }
        if (only.label() != null && (sites != null || className != null)) {
            throw wrongUsage("--only cannot go together with --top or --class. Leave one out.");
        }
        if (maxTime.compareTo(MOST_TIME) > 0) {
            throw wrongUsage("--max-time must be 4m or less.");
        }
        if (lines < 1) {
            throw wrongUsage("--lines must be 1 or more: " + lines);
        }
        try {
            HeldByRequest request =
                    new HeldByRequest(
                            sites == null ? 0 : sites,
                            className,
                            only.label(),
                            maxSamples,
                            maxPause,
                            maxTime);
            var unused = request.options();
            return request;
        } catch (IllegalArgumentException e) {
            throw wrongUsage(String.valueOf(e.getMessage()));
        }
    }

    private Format chosen(@Nullable Path file) {
        if (format != null) {
            return format;
        }
        Format usual = isJson() ? Format.JSON : Format.TEXT;
        return file == null ? usual : Format.ofFileName(file.toString()).orElse(usual);
    }

    private String text(HeldBy answer, Format chosen) {
        return chosen == Format.JSON
                ? HeldByJson.of(answer)
                : DoctorCommand.printable(answer.toText(lines)) + "\n";
    }

    private void write(HeldBy answer, Format chosen, OutputStream out) throws IOException {
        HeapSnapshot snapshot = answer.snapshot();
        switch (chosen) {
            case PPROF -> {
                ExportOptions holders = ExportOptions.builder().holders(true).build();
                snapshot.writeTo(out, ExportFormat.PPROF.with(holders));
            }
            case HSNAP -> snapshot.writeTo(out);
            case TEXT, JSON -> out.write(text(answer, chosen).getBytes(StandardCharsets.UTF_8));
        }
    }
}
