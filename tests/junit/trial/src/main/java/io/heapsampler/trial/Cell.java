// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.util.List;

/**
 * One JVM of the trial.
 *
 * @param group the simple name of the class of its tests
 * @param jdk the feature release
 * @param collector such as {@code g1}
 * @param load the number of JVMs that ran beside it
 * @param repetition counts from 1
 */
record Cell(String group, String jdk, String collector, String load, String repetition) {

    static final int FIELDS = 5;

    /** Reads it from the first fields of a line, or the first arguments of a program. */
    static Cell of(List<String> fields) {
        return new Cell(fields.get(0), fields.get(1), fields.get(2), fields.get(3), fields.get(4));
    }

    String line() {
        return String.join("\t", group, jdk, collector, load, repetition);
    }

    /** Returns the JDK and the collector, such as {@code 17, g1}. */
    String configuration() {
        return jdk + ", " + collector + (load.equals("0") ? "" : ", load " + load);
    }
}
