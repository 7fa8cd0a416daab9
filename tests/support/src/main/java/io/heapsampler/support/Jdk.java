// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/**
 * A JVM that tests run on.
 *
 * @param feature Java version
 * @param home its folder
 */
public record Jdk(int feature, Path home) {

    private static final String VARIABLE = "HEAPSAMPLER_JDK_";

    private static final int FIRST_WITH_DENY = 24;

    /** Returns those that the environment names, the oldest first; failing that, the own one. */
    public static List<Jdk> all() {
        List<Jdk> found =
                System.getenv().entrySet().stream()
                        .filter(variable -> variable.getKey().matches(VARIABLE + "\\d{1,4}"))
                        .map(variable -> of(variable.getKey(), variable.getValue()))
                        .sorted(Comparator.comparingInt(Jdk::feature))
                        .toList();
        return found.isEmpty() ? List.of(own()) : found;
    }

    private static Jdk of(String variable, String home) {
        return new Jdk(Integer.parseInt(variable.substring(VARIABLE.length())), Path.of(home));
    }

    /** Returns the one that runs. */
    public static Jdk own() {
        return new Jdk(Runtime.version().feature(), Path.of(System.getProperty("java.home")));
    }

    /** Returns those that what takes long is run on: before a merge the one that runs, else all. */
    public static List<Jdk> due() {
        return "true".equals(System.getenv("HEAPSAMPLER_LONG")) ? all() : List.of(own());
    }

    /** Returns its launcher. */
    public Path java() {
        return home.resolve("bin/java");
    }

    /** Returns whether it can compile. */
    public boolean hasCompiler() {
        return Files.exists(home.resolve("bin/javac"));
    }

    /** Returns whether the runtime has a module: one that was cut down may lack it. */
    public boolean has(String module) {
        try {
            return Files.readString(home.resolve("release"))
                    .lines()
                    .filter(line -> line.startsWith("MODULES="))
                    .anyMatch(line -> line.matches(".*[ \"]" + module + "[ \"].*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether it can deny native access (JEP 472). */
    public boolean knowsDeny() {
        return feature >= FIRST_WITH_DENY;
    }

    /** Returns the flags that deny native access to all but the class path, where it can. */
    public List<String> accessFlags() {
        return knowsDeny()
                ? List.of("--illegal-native-access=deny", "--enable-native-access=ALL-UNNAMED")
                : List.of();
    }
}
