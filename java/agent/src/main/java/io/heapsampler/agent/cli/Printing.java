// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.internal.shared.PrintableText;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The parts of their output that several commands share: first as text, then as JSON. {@code
 * java/agent/README.md} describes the JSON documents. Within a schema's number, entries may be
 * added; a change of existing ones takes a new number.
 */
final class Printing {

    private Printing() {}

    /** Returns a value with its 95 % error, such as {@code 1.4 MiB ± 12 %}. */
    static String estimate(HeapMetric metric, Estimate estimate) {
        String value =
                metric.unit().equals("bytes")
                        ? ByteSize.format(estimate.value())
                        : String.format(Locale.ROOT, "%,.0f", estimate.value());
        if (estimate.value() == 0) {
            return value;
        }
        if (estimate.hasTooFewSamples()) {
            return value + " (few samples)";
        }
        return String.format(Locale.ROOT, "%s ± %.0f %%", value, percent(estimate));
    }

    /** Returns half of the 95 % interval in percent of the value. */
    static double percent(Estimate estimate) {
        return 50 * (estimate.high() - estimate.low()) / Math.abs(estimate.value());
    }

    /** Returns a time such as {@code 01:23:45}. */
    static String clock(Duration time) {
        return String.format(
                Locale.ROOT,
                "%02d:%02d:%02d",
                time.toHours(),
                time.toMinutesPart(),
                time.toSecondsPart());
    }

    /** Returns one line that describes a snapshot. */
    static String head(HeapSnapshot snapshot) {
        return "Heap at %s: %s sites, %s, %s collections of %s"
                .formatted(
                        snapshot.takenAt(),
                        snapshot.sites().size(),
                        strategy(snapshot),
                        snapshot.collections(),
                        snapshot.collector());
    }

    /** Returns the sampling strategy and interval, such as {@code interval 512 KiB}. */
    static String strategy(HeapSnapshot snapshot) {
        String interval = "interval " + ByteSize.format((double) snapshot.interval());
        return switch (snapshot.strategy().kind()) {
            case BYTES -> interval;
            case ALLOCATIONS -> snapshot.strategy().toString();
            case TIME -> interval + ", " + snapshot.strategy();
        };
    }

    /** Prints the innermost frames of a stack, and the number of the others. */
    static void printStack(PrintWriter out, List<HeapFrame> stack, int depth) {
        stack.stream()
                .limit(depth)
                .forEach(frame -> out.println("      at " + PrintableText.of(frame.toString())));
        if (stack.size() > depth && depth > 0) {
            out.println("      ... " + (stack.size() - depth) + " more");
        }
    }

    static void printNotes(PrintWriter out, HeapSnapshot snapshot) {
        snapshot.notes().forEach(note -> out.println("Note: " + PrintableText.of(note.text())));
    }

    /** Begins a document, such as {@code urn:heapsampler:top:1}. */
    static JsonText json(String schema) {
        return new JsonText().begin('{').name("schema").value("urn:heapsampler:" + schema);
    }

    /** Writes when and how a snapshot was taken, with the names that the JSON format uses. */
    static void json(JsonText json, String name, HeapSnapshot snapshot, @Nullable Path file) {
        json.name(name).begin('{');
        if (file != null) {
            json.name("file").value(file.toString());
        }
        json.name("startedAt").value(snapshot.startedAt().toString());
        json.name("takenAt").value(snapshot.takenAt().toString());
        json.name("sampledMillis").value(snapshot.duration().toMillis());
        json.name("interval").value(snapshot.interval());
        json.name("strategy").value(snapshot.strategy().toString());
        json.name("sites").value(snapshot.sites().size());
        json.name("collections").value(snapshot.collections());
        json.name("afterGc").value(snapshot.isAfterGc());
        json.name("collector").value(snapshot.collector().name());
        json.name("notes").begin('[');
        snapshot.notes()
                .forEach(
                        note -> {
                            json.begin('{').name("id").value(note.id());
                            json.name("text").value(note.text()).end('}');
                        });
        json.end(']').end('}');
    }

    /** Writes the name and unit of a metric. */
    static void json(JsonText json, HeapMetric metric) {
        json.name("metric").value(metric.name()).name("unit").value(metric.unit());
    }

    /** Writes an estimate with its error and its 95 % interval; null as null. */
    static void json(JsonText json, String name, @Nullable Estimate estimate) {
        json.name(name);
        if (estimate == null) {
            json.nothing();
            return;
        }
        json.begin('{').name("value").value(estimate.value());
        json.name("error").value(estimate.standardError());
        json.name("low").value(estimate.low()).name("high").value(estimate.high());
        json.name("samples").value(estimate.samples());
        json.name("tooFewSamples").value(estimate.hasTooFewSamples()).end('}');
    }

    /** Writes the innermost frames of a site and the number of the others. */
    static void json(JsonText json, String className, List<HeapFrame> stack, int depth) {
        json.name("class").value(className).name("stack").begin('[');
        stack.stream().limit(depth).forEach(frame -> json.value(frame.toString()));
        json.end(']').name("moreFrames").value(Math.max(stack.size() - depth, 0));
    }
}
