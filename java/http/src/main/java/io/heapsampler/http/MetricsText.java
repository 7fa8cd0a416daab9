// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.ClassTotals;
import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeapTotals;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Metrics in the text format of Prometheus. The number of series is bounded: one series sums up all
 * but the largest classes, and one all but the largest values of a label.
 */
final class MetricsText {

    static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final String OTHER = "(other)";
    private static final String PREFIX = "heapsampler_";

    /** Of a label. */
    private static final int MAX_VALUES = 20;

    /** Causes by which no total gets worse; the page has the same. */
    private static final EnumSet<DropCause> HARMLESS =
            EnumSet.of(
                    DropCause.PHANTOM, DropCause.OWN, DropCause.DEAD_FORGOTTEN, DropCause.CAPPED);

    private final StringBuilder out = new StringBuilder();

    private MetricsText() {}

    static void write(
            SamplerStatus status,
            HeapSnapshot snapshot,
            EndpointOptions options,
            OutputStream stream)
            throws IOException {
        MetricsText text = new MetricsText();
        text.sampler(status);
        text.cost(status);
        text.heap(snapshot.totals());
        text.classes(snapshot, options.maxClasses);
        if (options.metricsLabel != null) {
            text.label(options.metricsLabel, snapshot, options.labelChoice());
        }
        stream.write(text.out.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void sampler(SamplerStatus status) {
        double running = status.state() == SamplerState.RUNNING ? 1 : 0;
        gauge("running", "Whether the served sampler or recording takes samples.", running);
        strategy(status);
        counter("samples_total", "Sampled allocations that the JVM reported.", status.samples());
        counter("collections_total", "Garbage collections observed.", status.collections());
        gauge("tracked_objects", "Sampled objects under weak references.", status.tracked());
        gauge("tracked_objects_limit", "How many can be tracked.", status.trackedBudget());
        drops(
                status,
                "dropped_samples_total",
                "Samples lost, folded or shortened for want of room.",
                EnumSet.complementOf(HARMLESS));
        drops(
                status,
                "harmless_drops_total",
                "Samples left out or forgotten by design. Totals of allocated and live bytes do not"
                        + " need them; lifetimes, promotion and the newest allocations of a thread"
                        + " may.",
                HARMLESS);
    }

    private void drops(SamplerStatus status, String name, String help, EnumSet<DropCause> causes) {
        head(name, help, "counter");
        for (DropCause cause : causes) {
            double count = status.dropped().getOrDefault(cause, 0L);
            sample(name, "cause", cause.name().toLowerCase(Locale.ROOT), count);
        }
    }

    /** An interval of 0 bytes would say that every allocation counts for itself. */
    private void strategy(SamplerStatus status) {
        SamplingStrategy strategy = status.strategy();
        if (strategy.kind() == SamplingStrategy.Kind.ALLOCATIONS) {
            gauge("interval_allocations", "Mean allocations between samples.", strategy.mean());
        } else {
            gauge("interval_bytes", "Mean bytes between two samples.", status.interval());
        }
        Duration period = strategy.period();
        if (period != null) {
            gauge("period_seconds", "Mean period in which one sample is kept.", s(period));
        }
    }

    private void cost(SamplerStatus status) {
        gauge("sample_cost_mean_seconds", "Mean cost of a sample.", s(status.meanSampleCost()));
        gauge("sample_cost_max_seconds", "Highest cost of a sample.", s(status.maxSampleCost()));
        gauge("native_memory_bytes", "Native memory in use.", status.memoryUsed());
        gauge("native_memory_peak_bytes", "Native memory at its highest.", status.memoryPeak());
    }

    private static double s(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private void heap(HeapTotals totals) {
        Estimate allocated = totals.allocated().bytes();
        double objects = totals.allocated().objects().value();
        Estimate live = totals.live().bytes();
        double liveObjects = totals.live().objects().value();
        double fresh = totals.unconfirmed().bytes().value();
        String allocatedError = "Standard error of the bytes allocated.";
        String liveError = "Standard error of the bytes confirmed alive.";
        String unconfirmed = "Estimated bytes allocated since the last collection.";

        counter(
                "allocated_bytes_total",
                "Estimated bytes allocated while sampling.",
                allocated.value());
        counter("allocated_objects_total", "Estimated objects allocated while sampling.", objects);
        gauge("allocated_bytes_standard_error", allocatedError, allocated.standardError());
        gauge("live_bytes", "Estimated bytes confirmed alive.", live.value());
        gauge("live_objects", "Estimated objects alive.", liveObjects);
        gauge("live_bytes_standard_error", liveError, live.standardError());
        gauge("unconfirmed_bytes", unconfirmed, fresh);
    }

    /**
     * No counter: the set of the largest classes changes, which a reader of a counter would take
     * for resets.
     */
    private void classes(HeapSnapshot snapshot, int most) {
        String name = "class_live_bytes";
        ToDoubleFunction<ClassTotals> bytes = each -> HeapMetric.LIVE_BYTES.of(each).value();
        Comparator<ClassTotals> largestFirst = Comparator.comparingDouble(bytes).reversed();
        List<ClassTotals> ordered =
                snapshot.classes().stream()
                        .sorted(largestFirst.thenComparing(ClassTotals::className))
                        .toList();
        head(name, "Estimated bytes confirmed alive, of the classes with most.", "gauge");
        double others = 0;
        int shown = 0;
        for (ClassTotals each : ordered) {
            // The sampler itself may have one of this name.
            if (shown < most && !each.className().equals(OTHER)) {
                sample(name, "class", each.className(), bytes.applyAsDouble(each));
                shown++;
            } else {
                others += bytes.applyAsDouble(each);
            }
        }
        sample(name, "class", OTHER, others);
    }

    /**
     * The live bytes by value of a label. Texts that Prometheus could not tell apart, such as two
     * broken surrogates, are one value: a series that came twice would spoil the whole response.
     */
    private void label(String key, HeapSnapshot snapshot, LabelChoice choice) {
        Map<String, Double> byValue = new HashMap<>();
        byValue.put(WrittenLabels.NONE_TEXT, 0.0);
        byValue.put(OTHER, 0.0);
        for (LabelPart part : choice.parts(snapshot.labels(key))) {
            byte[] value = part.labels().valueOf(key).getBytes(StandardCharsets.UTF_8);
            double live = part.live().bytes().value();
            byValue.merge(new String(value, StandardCharsets.UTF_8), live, Double::sum);
        }
        String name = "label_live_bytes";
        head(name, "Estimated bytes confirmed alive, by the values of a label with most.", "gauge");
        double none = byValue.remove(WrittenLabels.NONE_TEXT);
        double others = byValue.remove(OTHER);
        Comparator<Map.Entry<String, Double>> largestFirst =
                Map.Entry.<String, Double>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey());
        List<Map.Entry<String, Double>> ordered =
                byValue.entrySet().stream().sorted(largestFirst).toList();
        for (int i = 0; i < ordered.size(); i++) {
            if (i < MAX_VALUES) {
                labelled(name, key, ordered.get(i).getKey(), ordered.get(i).getValue());
            } else {
                others += ordered.get(i).getValue();
            }
        }
        labelled(name, key, WrittenLabels.NONE_TEXT, none);
        labelled(name, key, OTHER, others);
    }

    private void labelled(String name, String key, String value, double bytes) {
        line(name + "{key=\"" + escaped(key) + "\",value=\"" + escaped(value) + "\"}", bytes);
    }

    private void head(String name, String help, String type) {
        out.append("# HELP ").append(PREFIX).append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(PREFIX).append(name).append(' ').append(type).append('\n');
    }

    private void gauge(String name, String help, Number value) {
        head(name, help, "gauge");
        line(name, value.doubleValue());
    }

    private void counter(String name, String help, Number value) {
        head(name, help, "counter");
        line(name, value.doubleValue());
    }

    private void sample(String name, String label, String text, double value) {
        line(name + "{" + label + "=\"" + escaped(text) + "\"}", value);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private void line(String series, double value) {
        out.append(PREFIX).append(series).append(' ').append(JsonText.exact(value)).append('\n');
    }
}
