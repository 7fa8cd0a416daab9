// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.util.Arrays;
import java.util.List;

/** The collectors, with the Java versions that have them as such. */
public enum Gc {
    SERIAL(17, 25, "-XX:+UseSerialGC"),
    PARALLEL(17, 25, "-XX:+UseParallelGC"),
    G1(17, 25, "-XX:+UseG1GC"),
    ZGC(17, 25, "-XX:+UseZGC"),
    ZGC_GENERATIONAL(21, 21, "-XX:+UseZGC", "-XX:+ZGenerational"),
    SHENANDOAH(17, 25, "-XX:+UseShenandoahGC"),
    SHENANDOAH_GENERATIONAL(25, 25, "-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational");

    private final int first;
    private final int last;
    private final List<String> flags;

    Gc(int first, int last, String... flags) {
        this.first = first;
        this.last = last;
        this.flags = List.of(flags);
    }

    /** Returns the collectors of a Java version. */
    public static List<Gc> of(int feature) {
        return Arrays.stream(values())
                .filter(gc -> gc.first <= feature && feature <= gc.last)
                .toList();
    }

    /** Returns what makes a JVM use it. */
    public List<String> flags() {
        return flags;
    }

    /** Returns its name in the names of cells. */
    public String label() {
        return Labels.of(this);
    }
}
