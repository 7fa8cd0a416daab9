// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;

/** Which cells are wanted: those whose names match a pattern of the shell. */
public final class Wanted {

    private final String text;
    private final PathMatcher pattern;
    private final boolean isAll;

    private Wanted(String pattern) {
        this.text = pattern;
        this.isAll = pattern.isEmpty();
        this.pattern = FileSystems.getDefault().getPathMatcher("glob:" + (isAll ? "*" : pattern));
    }

    /** Returns what a system property requests: all if it is not set, or empty. */
    public static Wanted by(String property) {
        return new Wanted(System.getProperty(property, ""));
    }

    /** Returns whether a cell is wanted. */
    public boolean includes(String name) {
        return pattern.matches(Path.of(name));
    }

    /**
     * Checks that a pattern matches something, so that a wrong one is no success.
     *
     * @param names those of all cells
     * @throws IllegalArgumentException if none of them is wanted
     */
    public void check(List<String> names) {
        if (names.stream().noneMatch(this::includes)) {
            throw new IllegalArgumentException(
                    "No cell matches \"" + text + "\". There are: " + String.join(", ", names));
        }
    }

    /** Returns whether no pattern was given. */
    public boolean isAll() {
        return isAll;
    }
}
