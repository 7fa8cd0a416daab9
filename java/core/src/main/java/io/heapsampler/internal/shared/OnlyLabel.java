// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.SampleFilter;

/**
 * The label by which a command or a request chooses samples, as the text {@code key=value}.
 *
 * @param key the key, which has no equals sign
 * @param value the value; empty for the samples without a label of this key
 */
public record OnlyLabel(String key, String value) {

    /**
     * Reads {@code key=value} or {@code key=}.
     *
     * @throws IllegalArgumentException if there is no equals sign, or no label has such a key or
     *     value; the message may repeat the text
     */
    public static OnlyLabel parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException(
                    "Name a key and a value, such as tenant=acme, or tenant= for the samples"
                            + " without this key: "
                            + text);
        }
        OnlyLabel only = new OnlyLabel(text.substring(0, equals), text.substring(equals + 1));
        only.filter(); // refuses what no label can have
        return only;
    }

    /** Returns a filter for the samples of this label. */
    public SampleFilter filter() {
        return value.isEmpty() ? SampleFilter.noLabel(key) : SampleFilter.label(key, value);
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return key + "=" + value;
    }
}
