// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM to trouble.
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
        Path own = Path.of(System.getProperty("java.home"));
        return found.isEmpty() ? List.of(new Jdk(Runtime.version().feature(), own)) : found;
    }

    Path java() {
        return home.resolve("bin/java");
    }

    /** Says whether the runtime has a module: one that was cut down may lack it. */
    boolean has(String module) {
        try {
            return Files.readString(home.resolve("release"))
                    .lines()
                    .filter(line -> line.startsWith("MODULES="))
                    .anyMatch(line -> line.matches(".*[ \"]" + module + "[ \"].*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
