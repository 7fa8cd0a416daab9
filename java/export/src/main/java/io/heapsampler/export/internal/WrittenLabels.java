// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.internal;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The labels of some samples as they are written: chosen and redacted.
 *
 * @param values by key, sorted by key; unmodifiable
 * @param isOther whether they stand for the sets that found no room; there are no values then
 */
public record WrittenLabels(Map<String, String> values, boolean isOther) {

    /** No labels. */
    public static final WrittenLabels NONE = new WrittenLabels(Map.of(), false);

    /** All sets that found no room. */
    public static final WrittenLabels OTHER = new WrittenLabels(Map.of(), true);

    /** The text for {@link #OTHER}. */
    public static final String OTHER_TEXT = "(other)";

    /** The text for {@link #NONE}. */
    public static final String NONE_TEXT = "(none)";

    /** Whether there are neither labels nor sets that found no room. */
    public boolean isNone() {
        return values.isEmpty() && !isOther;
    }

    /** Returns the value of a key, {@code (other)}, or {@code (none)}. */
    public String valueOf(String key) {
        return isOther ? OTHER_TEXT : values.getOrDefault(key, NONE_TEXT);
    }

    /** Returns all as {@code key=value}, separated by commas. It is for people. */
    @Override
    public String toString() {
        if (values.isEmpty()) {
            return isOther ? OTHER_TEXT : NONE_TEXT;
        }
        return values.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(", "));
    }
}
