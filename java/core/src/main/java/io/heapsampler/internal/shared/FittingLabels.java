// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapLabels;
import io.heapsampler.internal.LabelText;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Labels of keys and values that other libraries have. {@link HeapLabels} refuses some texts; here
 * they are cut or replaced instead, because an application does not expect an exception there.
 */
public final class FittingLabels {

    private static final String EMPTY = "(empty)";

    private FittingLabels() {}

    /**
     * Returns a set with one more label.
     *
     * @param labels the set; null: no labels
     * @param key cut to 64 characters; the label is left out if it is empty
     * @param value cut to 256 characters; {@code (empty)} stands for an empty one; the label is
     *     left out if it is null
     * @return the set with the label; the set as it was if the label is left out, or would be
     *     number 17
     */
    public static @Nullable HeapLabels and(
            @Nullable HeapLabels labels, @Nullable String key, @Nullable String value) {
        if (key == null || key.isEmpty() || value == null) {
            return labels;
        }
        String fittingKey = fit(key, LabelText.MAX_KEY);
        String fittingValue = value.isEmpty() ? EMPTY : fit(value, LabelText.MAX_VALUE);
        if (labels == null) {
            return HeapLabels.of(fittingKey, fittingValue);
        }
        boolean hasRoom =
                labels.asMap().size() < LabelText.MAX_LABELS || labels.get(fittingKey) != null;
        return hasRoom ? labels.and(fittingKey, fittingValue) : labels;
    }

    /**
     * Checks keys that a program chooses.
     *
     * @throws IllegalArgumentException if one cannot be the key of a label, or if there are more
     *     than a set has
     */
    public static void checkKeys(Collection<String> keys) {
        keys.forEach(LabelText::checkKey);
        LabelText.checkCount(keys.size());
    }

    /** Cuts a text, never between the halves of a character; spaces replace control characters. */
    private static String fit(String text, int most) {
        int length = Math.min(text.length(), most);
        if (length < text.length() && Character.isHighSurrogate(text.charAt(length - 1))) {
            length--;
        }
        StringBuilder fitting = null;
        for (int i = 0; i < length; i++) {
            if (Character.isISOControl(text.charAt(i))) {
                fitting = fitting == null ? new StringBuilder(text) : fitting;
                fitting.setCharAt(i, ' ');
            }
        }
        return fitting == null ? text.substring(0, length) : fitting.substring(0, length);
    }
}
