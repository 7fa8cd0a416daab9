// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Strings, functions and locations of OTLP profiles, numbered as samples need them. {@link
 * PprofTables} has the same numbers, but what it writes needs no lists, for pprof has no order
 * among its tables.
 */
final class OtlpTables {

    /** What makes functions the same. */
    record Function(int name, int systemName, int file, int firstLine) {}

    /** A line of a function. */
    record Location(int function, int line) {}

    private final Map<String, Integer> strings = new LinkedHashMap<>();
    private final Map<Function, Integer> functions = new LinkedHashMap<>();
    private final Map<StackFrame, Integer> locationsByFrame = new HashMap<>();
    private final Map<String, Integer> locationsByName = new HashMap<>();
    private final List<Location> locations = new ArrayList<>();

    OtlpTables() {
        string("");
    }

    /** The number of a string; 0 for an empty one and for null. */
    int string(@Nullable String text) {
        Integer known = strings.putIfAbsent(text == null ? "" : text, strings.size());
        return known == null ? strings.size() - 1 : known;
    }

    /** The number of the location of a frame, from 1. */
    int location(StackFrame frame) {
        Integer known = locationsByFrame.get(frame);
        if (known == null) {
            int function = function(frame);
            locations.add(new Location(function, Math.max(frame.lineNumber(), 0)));
            known = locations.size();
            locationsByFrame.put(frame, known);
        }
        return known;
    }

    /** The number of a location that is no frame but says why there is none. */
    int location(String name) {
        Integer known = locationsByName.get(name);
        if (known == null) {
            int text = string(name);
            locations.add(new Location(function(new Function(text, text, 0, 0)), 0));
            known = locations.size();
            locationsByName.put(name, known);
        }
        return known;
    }

    private int function(StackFrame frame) {
        String name = FrameNames.function(frame);
        return function(
                new Function(
                        string(name),
                        string(name + frame.descriptor()),
                        string(frame.fileName()),
                        Math.max(frame.firstLineNumber(), 0)));
    }

    private int function(Function function) {
        Integer known = functions.putIfAbsent(function, functions.size() + 1);
        return known == null ? functions.size() : known;
    }

    /** In the order of their numbers, from 0. */
    Collection<String> strings() {
        return strings.keySet();
    }

    /** In the order of their numbers, from 1. */
    Collection<Function> functions() {
        return functions.keySet();
    }

    /** In the order of their numbers, from 1. */
    List<Location> locations() {
        return locations;
    }
}
