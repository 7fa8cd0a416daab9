// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * All verdicts of a run, since builds show no report entries. At the end of the run their number is
 * printed, and a line for each that passed but left something out, or was not measured. On demand
 * there is a line for each of them, and all are appended to a file as they are given.
 *
 * <p>Failures to write are logged and change no verdict. Safe for use by many threads.
 */
@SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones also close this.
final class Verdicts implements Store.CloseableResource, AutoCloseable {

    private static final Logger LOGGER = System.getLogger("io.heapsampler.junit");
    private static final String SETTING = "heapsampler.junit.verdicts.file";
    private static final int MOST_LINES = 1_000;

    private final Configuration.Shown shown;
    private final @Nullable Path file;
    private final Supplier<PrintStream> out;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
    private final List<String> lines = new ArrayList<>();
    private int moreLines;
    private boolean hasFailedToWrite;
    private boolean isClosed;

    Verdicts(Configuration.Shown shown, @Nullable Path file, Supplier<PrintStream> out) {
        this.shown = shown;
        this.file = file;
        this.out = out;
    }

    private Verdicts(Configuration configuration) {
        this(configuration.verdicts, configuration.verdictsFile.orElse(null), () -> System.out);
    }

    static Verdicts of(ExtensionContext context) {
        Configuration configuration = Configuration.of(context);
        return Configuration.ofRun(context, Verdicts.class, () -> new Verdicts(configuration));
    }

    /** Takes the verdicts of one test. */
    synchronized void add(String test, List<Verdict> verdicts) {
        for (Verdict verdict : verdicts) {
            counts.merge(verdict.outcome(), 1, Integer::sum);
            String line = line(test, verdict);
            append(line);
            if (isShown(verdict) && lines.size() < MOST_LINES) {
                lines.add("  " + line);
            } else if (isShown(verdict)) {
                moreLines++;
            }
        }
    }

    private boolean isShown(Verdict verdict) {
        return switch (shown) {
            case ALL -> true;
            case NONE -> false;
            case NOTABLE ->
                    verdict.outcome() == Outcome.PASSED
                            ? verdict.note() != null
                            : verdict.outcome() != Outcome.FAILED; // those the build shows
        };
    }

    private static String line(String test, Verdict verdict) {
        String what = verdict.rule() + " of " + test;
        String summary = verdict.summary();
        String text = words(verdict.outcome()) + ": ";
        text += summary.startsWith(what) ? summary : what + ": " + summary;
        text += verdict.note() == null ? "" : "; " + verdict.note();
        return text.replaceAll("\\R", " ");
    }

    private static String words(Outcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void append(String line) {
        if (file == null || hasFailedToWrite) {
            return;
        }
        try {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            // One call for one line: those of other JVMs come before or after it.
            Files.writeString(
                    file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException | RuntimeException e) {
            hasFailedToWrite = true;
            String text =
                    "Verdicts cannot be written to %s. Correct its permissions, or %s."
                            .formatted(file, SETTING);
            LOGGER.log(Level.WARNING, text, e);
        }
    }

    @Override
    public synchronized void close() {
        if (!isClosed && shown != Configuration.Shown.NONE && !counts.isEmpty()) {
            out.get().println(summary());
        }
        isClosed = true;
    }

    private String summary() {
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        List<String> words = new ArrayList<>();
        counts.forEach((outcome, count) -> words.add(count + " " + words(outcome)));
        List<String> text = new ArrayList<>();
        String noun = all == 1 ? "assertion" : "assertions";
        text.add("HeapSampler: %s %s: %s.".formatted(all, noun, String.join(", ", words)));
        text.addAll(lines);
        if (moreLines > 0) {
            text.add(
                    "  ... %s more. %s names a file for all of them."
                            .formatted(moreLines, SETTING));
        }
        return String.join("\n", text);
    }
}
