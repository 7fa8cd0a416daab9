// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The arguments of the runner.
 *
 * @param glob which cells run
 * @param isLoaded whether a busy process takes a processor meanwhile
 * @param out the file of the results
 * @param reports files of results to print; nothing runs then
 */
record Settings(String glob, boolean isLoaded, Path out, List<Path> reports) {

    static Settings of(String... args) {
        String glob = "*";
        boolean isLoaded = false;
        String out = "";
        List<Path> reports = new ArrayList<>();
        Deque<String> left = new ArrayDeque<>(List.of(args));
        while (!left.isEmpty()) {
            String arg = left.pop();
            switch (arg) {
                case "--loaded" -> isLoaded = true;
                case "--out" -> out = left.pop();
                case "--report" -> {
                    left.forEach(file -> reports.add(Path.of(file)));
                    left.clear();
                }
                default -> {
                    if (arg.startsWith("-")) {
                        throw new IllegalArgumentException("unknown option: " + arg);
                    }
                    glob = arg;
                }
            }
        }
        String load = isLoaded ? "loaded" : "quiet";
        Path file = Path.of(out.isEmpty() ? "target/programs-" + load + ".tsv" : out);
        return new Settings(glob, isLoaded, file, reports);
    }

    String load() {
        return isLoaded ? "loaded" : "quiet";
    }

    boolean wants(Cell cell) {
        return FileSystems.getDefault()
                .getPathMatcher("glob:" + glob)
                .matches(Path.of(cell.name()));
    }
}
