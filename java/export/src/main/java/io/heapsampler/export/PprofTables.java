// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a pprof profile: strings, functions and locations. They are numbered as samples
 * need them, and written behind the samples. OTLP has the same tables and numbers, see {@link
 * OtlpDictionary}.
 */
final class PprofTables {

    private static final int LOCATION = 4;
    private static final int FUNCTION = 5;
    private static final int STRING = 6;
    private static final int MAPPING_ID = 1;

    /** What makes functions the same. */
    record Function(int name, int systemName, int file, int firstLine) {}

    /** A line of a function. */
    record Location(int function, int line) {}

    private final Map<String, Integer> strings = new LinkedHashMap<>();
    private final Map<Function, Integer> functions = new LinkedHashMap<>();
    private final Map<StackFrame, Integer> locationsByFrame = new HashMap<>();
    private final Map<String, Integer> locationsByName = new HashMap<>();
    private final List<Location> locations = new ArrayList<>();

    PprofTables() {
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

    void writeTo(OutputStream out) throws IOException {
        ProtoBuffer profile = new ProtoBuffer();
        ProtoBuffer inner = new ProtoBuffer();
        ProtoBuffer line = new ProtoBuffer();
        for (int i = 0; i < locations.size(); i++) {
            Location location = locations.get(i);
            line.clear().integer(1, location.function).integer(2, location.line);
            inner.clear().integer(1, i + 1L).integer(2, MAPPING_ID).message(4, line);
            profile.message(LOCATION, inner).drainTo(out);
        }
        for (Map.Entry<Function, Integer> entry : functions.entrySet()) {
            Function function = entry.getKey();
            inner.clear().integer(1, entry.getValue()).integer(2, function.name);
            inner.integer(3, function.systemName).integer(4, function.file);
            profile.message(FUNCTION, inner.integer(5, function.firstLine)).drainTo(out);
        }
        for (String text : strings.keySet()) {
            profile.string(STRING, text.getBytes(StandardCharsets.UTF_8)).drainTo(out);
        }
    }
}
