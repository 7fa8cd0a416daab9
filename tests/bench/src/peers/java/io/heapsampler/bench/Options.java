// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.List;

/** What the forks of the comparison are started with. */
final class Options {

    private static final List<String> COMMON =
            List.of(
                    "-Xms512m",
                    "-Xmx512m",
                    "-XX:+AlwaysPreTouch",
                    "-Dpython.cachedir.skip=true",
                    "-Dpython.import.site=false",
                    "-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog");

    private Options() {}

    /** The collector with the least noise: no thread of its own. */
    static List<String> serial() {
        List<String> flags = common();
        flags.addAll(List.of("-XX:+UseSerialGC", "-Xmn64m"));
        return flags;
    }

    /** The collector that the JVM chooses. */
    static List<String> common() {
        List<String> flags = new ArrayList<>(COMMON);
        for (String property : List.of("bench.quick", "bench.slices", "bench.sources")) {
            flags.add("-D" + property + "=" + System.getProperty(property, ""));
        }
        return flags;
    }
}
