// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** Collectors, and what a JVM of a version is told to have one of them. */
enum Collector {
    SERIAL,
    PARALLEL,
    G1,
    SHENANDOAH,
    /** The kind that knows young objects. */
    SHENANDOAH_GENERATIONAL,
    /** The kind that knows no young objects. */
    Z,
    Z_GENERATIONAL;

    private static final int FIRST_GENERATIONAL_Z = 21;
    private static final int LAST_OTHER_Z = 23;
    private static final int FIRST_GENERATIONAL_SHENANDOAH = 24;

    /** The flags for a JVM of that feature version; none if it has no such collector. */
    List<String> flags(int version) {
        return switch (this) {
            case SERIAL -> List.of("-XX:+UseSerialGC");
            case PARALLEL -> List.of("-XX:+UseParallelGC");
            case G1 -> List.of("-XX:+UseG1GC");
            case SHENANDOAH -> List.of("-XX:+UseShenandoahGC");
            case SHENANDOAH_GENERATIONAL ->
                    version < FIRST_GENERATIONAL_SHENANDOAH
                            ? List.of()
                            : List.of(
                                    "-XX:+UseShenandoahGC",
                                    "-XX:+UnlockExperimentalVMOptions",
                                    "-XX:ShenandoahGCMode=generational");
            case Z -> version > LAST_OTHER_Z ? List.of() : z(version, "-XX:-ZGenerational");
            case Z_GENERATIONAL ->
                    version < FIRST_GENERATIONAL_Z ? List.of() : z(version, "-XX:+ZGenerational");
        };
    }

    /** Only where there are two kinds has the JVM a flag for them. */
    private static List<String> z(int version, String kind) {
        boolean hasBoth = version >= FIRST_GENERATIONAL_Z && version <= LAST_OTHER_Z;
        return hasBoth ? List.of("-XX:+UseZGC", kind) : List.of("-XX:+UseZGC");
    }

    /** Has it young objects of its own, in a space whose size is known? */
    boolean hasYoungSpace() {
        return this == SERIAL || this == PARALLEL || this == G1;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** By its label; case and underscores do not matter. */
    static Collector of(String label) {
        for (Collector collector : values()) {
            if (plain(collector.name()).equals(plain(label))) {
                return collector;
            }
        }
        throw new IllegalArgumentException("no collector: " + label);
    }

    private static String plain(String label) {
        return label.replace("_", "").toUpperCase(Locale.ROOT);
    }

    /** How often this JVM has collected. */
    static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(bean -> countsCollections(bean.getName()))
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** ZGC and Shenandoah have a bean that counts the stops, of which a collection has several. */
    static boolean countsCollections(String bean) {
        return !bean.endsWith("Pauses");
    }
}
