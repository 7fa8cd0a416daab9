// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;

/** Which cells are wanted: those whose names match a pattern. */
final class Cells {

    private static final PathMatcher WANTED =
            FileSystems.getDefault()
                    .getPathMatcher("glob:" + orAll(System.getProperty("chaos.cells", "")));

    private Cells() {}

    private static String orAll(String pattern) {
        return pattern.isEmpty() ? "*" : pattern;
    }

    static boolean isWanted(String name) {
        return WANTED.matches(Path.of(name));
    }
}
