// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program on a JDK with a collector.
 *
 * @param jdk the feature release
 * @param collector such as {@code g1}
 * @param row what runs
 */
record Cell(int jdk, String collector, Row row) {

    private static final Map<String, List<String>> COLLECTORS =
            Map.of(
                    "serial", List.of("-XX:+UseSerialGC"),
                    "parallel", List.of("-XX:+UseParallelGC"),
                    "g1", List.of("-XX:+UseG1GC"),
                    "zgc", List.of("-XX:+UseZGC"),
                    "shenandoah", List.of("-XX:+UseShenandoahGC"));

    /** Returns the cells of a row. */
    static List<Cell> of(Row row) {
        return row.cells().stream().map(name -> named(name, row)).toList();
    }

    private static Cell named(String name, Row row) {
        int dash = name.indexOf('-');
        return new Cell(Integer.parseInt(name.substring(0, dash)), name.substring(dash + 1), row);
    }

    String name() {
        return jdk + "-" + collector + "-" + row.name();
    }

    List<String> collectorFlags() {
        return Optional.ofNullable(COLLECTORS.get(collector)).orElseThrow();
    }

    /** Returns the home of its JDK, which tests/doctor/run has put into the environment. */
    Optional<String> home() {
        return Optional.ofNullable(System.getenv("HEAPSAMPLER_JDK_" + jdk));
    }
}
