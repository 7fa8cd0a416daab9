// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.util.Locale;

/** The names of constants as they are in command lines and in the names of cells: {@code a-b}. */
public final class Labels {

    private Labels() {}

    /** Returns the label of a constant. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the constant of a label.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static <E extends Enum<E>> E parse(Class<E> type, String label) {
        return Enum.valueOf(type, label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
