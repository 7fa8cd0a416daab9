// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.internal;

import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.TraceExample;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides which labels of {@link HeapLabels} are written, and with which values. Sets that read
 * alike afterwards become one. The function that replaces values is called once for each label of a
 * set. For one export and one thread.
 */
public final class LabelChoice {

    /** Values are written as they are. */
    public static final BiFunction<String, String, @Nullable String> AS_IS = (key, value) -> value;

    /** The key of {@link #pairs} for sets that found no room, if all keys are written. */
    public static final String OTHER_KEY = "labels";

    /** Writes all labels as they are. */
    public static LabelChoice all() {
        return new LabelChoice(true, null, AS_IS, UnaryOperator.identity());
    }

    private final boolean isWanted;
    private final @Nullable String key;
    private final BiFunction<String, String, @Nullable String> values;
    private final UnaryOperator<String> names;
    private final Map<Map<String, String>, WrittenLabels> known = new HashMap<>();

    /**
     * Makes a choice.
     *
     * @param isWanted whether labels are written at all
     * @param key the only key that is written; null for all keys
     * @param values returns the value to write for a key and a value; null or an empty text for
     *     none
     * @param names returns the name to write for a key; of keys with equal names the first is
     *     written
     */
    public LabelChoice(
            boolean isWanted,
            @Nullable String key,
            BiFunction<String, String, @Nullable String> values,
            UnaryOperator<String> names) {
        this.isWanted = isWanted;
        this.key = key;
        this.values = values;
        this.names = names;
    }

    /** Returns the labels to write for the samples of these totals. */
    public WrittenLabels of(LabelTotals totals) {
        return of(totals.labels(), totals.isOther());
    }

    /** Returns the labels to write for a sample. */
    public WrittenLabels of(HeapSample sample) {
        return of(sample.labels(), sample.hasOtherLabels());
    }

    /** Returns the labels to write for an example. */
    public WrittenLabels of(TraceExample example) {
        return of(example.labels(), example.hasOtherLabels());
    }

    private WrittenLabels of(Map<String, String> labels, boolean isOther) {
        if (!isWanted || (labels.isEmpty() && !isOther)) {
            return WrittenLabels.NONE;
        }
        return isOther ? WrittenLabels.OTHER : known.computeIfAbsent(labels, this::written);
    }

    private WrittenLabels written(Map<String, String> labels) {
        Map<String, String> chosen = new TreeMap<>();
        labels.forEach(
                (each, value) -> {
                    String shown =
                            key == null || key.equals(each) ? values.apply(each, value) : null;
                    if (shown != null && !shown.isEmpty()) {
                        chosen.putIfAbsent(names.apply(each), shown);
                    }
                });
        return chosen.isEmpty()
                ? WrittenLabels.NONE
                : new WrittenLabels(Collections.unmodifiableMap(chosen), false);
    }

    /** Returns whether anything is to be written for the labels of a snapshot. */
    public boolean isSeenIn(HeapSnapshot snapshot) {
        return isWanted && snapshot.labels().stream().anyMatch(totals -> !of(totals).isNone());
    }

    /** Returns the figures by set of labels, in the order of the given ones. */
    public List<LabelPart> parts(Collection<LabelTotals> totals) {
        return LabelPart.merged(totals.stream().map(each -> LabelPart.of(of(each), each)).toList());
    }

    /**
     * Returns the labels for a format that has nothing but keys and values: sets that found no room
     * have the value {@code (other)}, of the chosen key, or of {@link #OTHER_KEY} if all keys are
     * written.
     */
    public Map<String, String> pairs(WrittenLabels labels) {
        if (!labels.isOther()) {
            return labels.values();
        }
        return Map.of(key == null ? OTHER_KEY : names.apply(key), WrittenLabels.OTHER_TEXT);
    }
}
