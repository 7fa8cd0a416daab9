// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The figures that are kept in results.md and were measured on one JDK; of a name that was measured
 * often, the newest. A section that does not name its JDK is of the default one.
 */
final class Figures {

    private static final Pattern LINE =
            Pattern.compile(
                    "^(\\w+)=(-?[\\d.]+)(?: low=(-?[\\d.]+|-Infinity) high=([\\d.-]+|Infinity))?.*$");

    /** Where a section names what it was measured on. */
    private static final Pattern JDK = Pattern.compile("^`.*\\(build (\\d+).*$");

    /** A value and the half-width of its interval; 0 if it has none. */
    record Figure(double value, double halfWidth) {}

    private final Map<String, Figure> figures = new HashMap<>();

    Figures(Path file, int feature) throws IOException {
        boolean isOfJdk = true;
        for (String line : Files.readAllLines(file)) {
            Matcher jdk = JDK.matcher(line);
            isOfJdk =
                    jdk.matches()
                            ? Integer.parseInt(jdk.group(1)) == feature
                            : isOfJdk || line.startsWith("## ");
            Matcher matcher = LINE.matcher(line);
            if (isOfJdk && matcher.matches()) {
                double value = Double.parseDouble(matcher.group(2));
                String high = matcher.group(4);
                double halfWidth = high == null ? 0 : Double.parseDouble(high) - value;
                figures.put(
                        matcher.group(1),
                        new Figure(value, Double.isFinite(halfWidth) ? halfWidth : 0));
            }
        }
    }

    boolean has(String name) {
        return figures.containsKey(name);
    }

    Figure get(String name) {
        return figures.getOrDefault(name, new Figure(0, 0));
    }
}
