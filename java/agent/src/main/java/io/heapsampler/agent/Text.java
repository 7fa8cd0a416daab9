// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.PrintableText;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Figures and names of the command line and the log, for people. */
public final class Text {

    private Text() {}

    /** Returns a value with its 95 % error, such as {@code 1.4 MiB ± 12 %}. */
    public static String of(HeapMetric metric, Estimate estimate) {
        String value = value(metric, estimate.value());
        if (estimate.value() == 0) {
            return value;
        }
        if (estimate.hasTooFewSamples()) {
            return value + " (few samples)";
        }
        double half = (estimate.high() - estimate.low()) / 2;
        double percent = 100 * half / Math.abs(estimate.value());
        return String.format(Locale.ROOT, "%s ± %.0f %%", value, percent);
    }

    private static String value(HeapMetric metric, double value) {
        return metric.unit().equals("bytes") ? ByteSize.format(value) : objects(value);
    }

    private static String objects(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    /** Returns one line that describes a snapshot. */
    public static String head(HeapSnapshot snapshot) {
        return "Heap at %s: %s sites, %s, %s collections of %s"
                .formatted(
                        snapshot.takenAt(),
                        snapshot.sites().size(),
                        spacing(snapshot),
                        snapshot.collections(),
                        snapshot.collector());
    }

    /** Returns the sampling strategy and interval, such as {@code interval 512 KiB}. */
    public static String spacing(HeapSnapshot snapshot) {
        SamplingStrategy strategy = snapshot.strategy();
        String interval = "interval " + ByteSize.format((double) snapshot.interval());
        return switch (strategy.kind()) {
            case BYTES -> interval;
            case ALLOCATIONS -> strategy.toString();
            case TIME -> interval + ", " + strategy;
        };
    }

    /** Prints the innermost frames of a stack, and the number of the others. */
    public static void printStack(PrintWriter out, List<HeapFrame> stack, int depth) {
        stack.stream()
                .limit(depth)
                .forEach(f -> out.println("      at " + PrintableText.of(f.toString())));
        if (stack.size() > depth && depth > 0) {
            out.println("      ... " + (stack.size() - depth) + " more");
        }
    }

    /** Prints the notes of a snapshot. */
    public static void printNotes(PrintWriter out, HeapSnapshot snapshot) {
        for (Note note : snapshot.notes()) {
            out.println("Note: " + PrintableText.of(note.text()));
        }
    }
}
