// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.util.Arrays;
import java.util.List;

/** The collectors, with the Java versions that have them as such. */
public enum Gc {
    SERIAL(17, Gc.NEWEST, "-XX:+UseSerialGC"),
    PARALLEL(17, Gc.NEWEST, "-XX:+UseParallelGC"),
    G1(17, Gc.NEWEST, "-XX:+UseG1GC"),
    ZGC(17, Gc.NEWEST, "-XX:+UseZGC"),
    ZGC_GENERATIONAL(21, 22, "-XX:+UseZGC", "-XX:+ZGenerational"),
    SHENANDOAH(17, Gc.NEWEST, "-XX:+UseShenandoahGC"),
    SHENANDOAH_GENERATIONAL(
            25, Gc.NEWEST, "-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational");

    /** Of what no version has taken away. */
    private static final int NEWEST = Integer.MAX_VALUE;

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
