// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The labels of some samples of a snapshot: keys with their values, sorted by key. Two sets have no
 * labels of their own: {@link #NONE}, and {@link #OTHER}, which stands for all sets that found no
 * room. Immutable, and equal by content. Comparable, so that a map of many sets with one hash code,
 * which a file may have on purpose, stays fast.
 */
public final class LabelSet implements Comparable<LabelSet> {

    /** That of samples without labels. */
    public static final LabelSet NONE = new LabelSet(Collections.emptySortedMap(), false);

    /** That of samples whose own set found no room. */
    public static final LabelSet OTHER = new LabelSet(Collections.emptySortedMap(), true);

    private final Map<String, String> labels;
    private final boolean isOther;

    private LabelSet(Map<String, String> labels, boolean isOther) {
        this.labels = labels;
        this.isOther = isOther;
    }

    /** Returns a set; takes over the map. */
    static LabelSet of(SortedMap<String, String> labels) {
        return labels.isEmpty()
                ? NONE
                : new LabelSet(Collections.unmodifiableSortedMap(labels), false);
    }

    /** The labels, sorted by key; unmodifiable. */
    public Map<String, String> labels() {
        return labels;
    }

    /** Returns whether this is {@link #OTHER}. */
    public boolean isOther() {
        return isOther;
    }

    /** Returns the value of a key; null if there is none. */
    public @Nullable String get(String key) {
        return labels.get(key);
    }

    /** Returns the set that has this key alone, or {@link #NONE}; that of OTHER is OTHER. */
    public LabelSet only(String key) {
        String value = labels.get(key);
        if (value == null) {
            return isOther ? OTHER : NONE;
        }
        return new LabelSet(Collections.singletonMap(key, value), false);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LabelSet that
                && isOther == that.isOther
                && labels.equals(that.labels);
    }

    @Override
    public int hashCode() {
        return labels.hashCode() + (isOther ? 1 : 0);
    }

    /** By the text of the labels; {@link #OTHER} comes last. */
    @Override
    public int compareTo(LabelSet other) {
        int order = Boolean.compare(isOther, other.isOther);
        Iterator<Map.Entry<String, String>> those = other.labels.entrySet().iterator();
        for (Map.Entry<String, String> label : labels.entrySet()) {
            if (order != 0 || !those.hasNext()) {
                break;
            }
            Map.Entry<String, String> that = those.next();
            order = label.getKey().compareTo(that.getKey());
            order = order != 0 ? order : label.getValue().compareTo(that.getValue());
        }
        return order != 0 ? order : Integer.compare(labels.size(), other.labels.size());
    }

    /** Returns all as {@code key=value}, separated by commas. */
    @Override
    public String toString() {
        if (labels.isEmpty()) {
            return isOther ? SnapshotData.OTHER : "(none)";
        }
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(", "));
    }
}
