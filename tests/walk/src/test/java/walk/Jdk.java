// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM to sample.
 *
 * @param feature Java version
 * @param home its folder
 */
record Jdk(int feature, Path home) {

    private static final int[] FEATURES = {17, 21, 25};

    /** Returns those that the environment names; failing that, the one that runs. */
    static List<Jdk> all() {
        List<Jdk> found = new ArrayList<>();
        for (int feature : FEATURES) {
            String home = System.getenv("HEAPSAMPLER_JDK_" + feature);
            if (home != null) {
                found.add(new Jdk(feature, Path.of(home)));
            }
        }
        return found.isEmpty()
                ? List.of(
                        new Jdk(
                                Runtime.version().feature(),
                                Path.of(System.getProperty("java.home"))))
                : found;
    }

    Path java() {
        return home.resolve("bin/java");
    }

    boolean hasCompiler() {
        return Files.exists(home.resolve("bin/javac"));
    }

    List<Gc> collectors() {
        return Gc.of(feature);
    }
}
