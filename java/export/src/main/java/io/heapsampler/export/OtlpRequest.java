// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.TraceExample;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to a receiver of OTLP profiles: one profile for each figure, since a profile of OTLP
 * has one type of sample. OTLP does not say whether figures are cumulative; receivers assume that
 * they happened in the time of the profile.
 *
 * <p>Samples of allocations have a link to a span in which one of their objects was allocated.
 */
final class OtlpRequest {

    // Fields of the messages ExportProfilesServiceRequest, ResourceProfiles and ScopeProfiles.
    private static final int RESOURCE_PROFILES = 1;
    private static final int DICTIONARY = 2;
    private static final int RESOURCE = 1;
    private static final int SCOPE_PROFILES = 2;
    private static final int SCOPE = 1;
    private static final int PROFILES = 2;

    // Fields of the message Profile.
    private static final int SAMPLE_TYPE = 1;
    private static final int SAMPLES = 2;
    private static final int TIME = 3;
    private static final int DURATION = 4;
    private static final int PERIOD_TYPE = 5;
    private static final int PERIOD = 6;
    private static final int PROFILE_ID = 7;

    // Fields of the message Sample.
    private static final int STACK = 1;
    private static final int ATTRIBUTES = 2;
    private static final int LINK = 3;
    private static final int VALUES = 4;

    private final HeapSnapshot snapshot;
    private final Instant from;
    private final LabelChoice labels;
    private final List<SiteRow> rows;
    private final boolean hasTraces;

    /** Those that the earlier snapshot has. */
    private final Set<TraceExample> oldExamples = new HashSet<>();

    private final OtlpDictionary dictionary;
    private final Map<HeapMetric, ProtoBuffer> samples = new EnumMap<>(HeapMetric.class);
    private final ProtoBuffer part = new ProtoBuffer();
    private final ProtoBuffer inner = new ProtoBuffer();

    /** Those of the current sample. */
    private final ProtoBuffer attributes = new ProtoBuffer();

    /**
     * Makes a request about a snapshot, or the part since {@link ExportOptions#allocatedSince()}.
     */
    OtlpRequest(HeapSnapshot snapshot, ExportOptions options) {
        this.snapshot = snapshot;
        HeapSnapshot begin = options.allocatedSince();
        this.from = begin == null ? snapshot.startedAt() : begin.takenAt();
        this.labels = options.labels();
        this.rows =
                begin == null
                        ? SiteRow.of(snapshot, options, labels)
                        : SiteRow.deltaHeap(snapshot.diff(begin), options, labels);
        this.hasTraces = options.hasTraces();
        if (begin != null && hasTraces) {
            begin.sites().forEach(site -> oldExamples.addAll(site.examples()));
        }
        this.dictionary = new OtlpDictionary(snapshot);
        for (HeapMetric metric : HeapMetric.values()) {
            samples.put(metric, new ProtoBuffer());
        }
    }

    void write(Map<String, ?> resource, OutputStream out) throws IOException {
        rows.forEach(this::add);
        ProtoBuffer scopeProfiles = new ProtoBuffer();
        scopeProfiles.message(SCOPE, part.clear().string(1, utf8("io.heapsampler")));
        samples.forEach(
                (metric, all) -> {
                    if (all.size() > 0) {
                        scopeProfiles.message(PROFILES, profile(metric, all));
                    }
                });
        ProtoBuffer ofResource = new ProtoBuffer();
        resource.forEach((key, value) -> ofResource.message(1, attribute(key, value)));
        ProtoBuffer resourceProfiles = new ProtoBuffer().message(RESOURCE, ofResource);
        resourceProfiles.message(SCOPE_PROFILES, scopeProfiles);
        ProtoBuffer request = new ProtoBuffer();
        request.message(RESOURCE_PROFILES, resourceProfiles).drainTo(out);
        dictionary.writeTo(out, DICTIONARY);
        out.flush();
    }

    private void add(SiteRow row) {
        int stack = dictionary.stack(row);
        Map<WrittenLabels, TraceExample> examples = newExamples(row);
        for (LabelPart each : row.parts()) {
            dictionary.attributes(labels.pairs(each.labels()), attributes.clear());
            TraceExample example = examples.get(each.labels());
            samples.forEach(
                    (metric, all) -> {
                        double value = metric.of(each.allocated(), each.live()).value();
                        // The object of the example may be dead.
                        add(stack, metric.isLive() ? null : example, Math.round(value), all);
                    });
        }
    }

    /** The last example of each set of labels that is not from before the time of the request. */
    private Map<WrittenLabels, TraceExample> newExamples(SiteRow row) {
        HeapSite site = row.numbered();
        if (site == null || !hasTraces) {
            return Map.of();
        }
        Map<WrittenLabels, TraceExample> last = new HashMap<>();
        for (TraceExample example : site.examples()) {
            if (!oldExamples.contains(example)) {
                last.put(labels.of(example), example);
            }
        }
        return last;
    }

    private void add(int stack, @Nullable TraceExample example, long value, ProtoBuffer all) {
        if (value > 0) {
            int link = example == null ? 0 : dictionary.link(example);
            inner.clear().element(value);
            part.clear().integer(STACK, stack);
            if (attributes.size() > 0) {
                part.packed(ATTRIBUTES, attributes);
            }
            part.integer(LINK, link);
            all.message(SAMPLES, part.packed(VALUES, inner));
        }
    }

    /** Fields may come in any order. These follow the samples. */
    private ProtoBuffer profile(HeapMetric metric, ProtoBuffer profile) {
        profile.message(SAMPLE_TYPE, type(metric.pprofName(), metric.unit()));
        profile.fixed64(TIME, ChronoUnit.NANOS.between(Instant.EPOCH, from));
        profile.integer(DURATION, Math.max(ChronoUnit.NANOS.between(from, snapshot.takenAt()), 0));
        ProfileTables.Period period = ProfileTables.Period.of(snapshot);
        profile.message(PERIOD_TYPE, type(period.type(), period.unit()));
        profile.integer(PERIOD, period.value());
        UUID id = UUID.randomUUID();
        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return profile.string(PROFILE_ID, bytes.array());
    }

    private ProtoBuffer type(String name, String unit) {
        return part.clear().integer(1, dictionary.string(name)).integer(2, dictionary.string(unit));
    }

    private static ProtoBuffer attribute(Object key, Object value) {
        return new ProtoBuffer().string(1, utf8((String) key)).message(2, anyValue(value));
    }

    /** The message AnyValue. Each of its fields is present, even with the default value. */
    private static ProtoBuffer anyValue(Object value) {
        ProtoBuffer any = new ProtoBuffer();
        if (value instanceof Boolean flag) {
            any.repeated(2, flag ? 1 : 0);
        } else if (value instanceof Long number) {
            any.repeated(3, number);
        } else if (value instanceof Double number) {
            any.fixed64(4, Double.doubleToRawLongBits(number));
        } else if (value instanceof List<?> values) {
            ProtoBuffer array = new ProtoBuffer();
            values.forEach(each -> array.message(1, anyValue(each)));
            any.message(5, array);
        } else if (value instanceof Map<?, ?> entries) {
            ProtoBuffer list = new ProtoBuffer();
            entries.forEach((key, each) -> list.message(1, attribute(key, each)));
            any.message(6, list);
        } else if (value instanceof byte[] bytes) {
            any.string(7, bytes);
        } else {
            any.string(1, utf8((String) value));
        }
        return any;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
