// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a pprof profile: strings, functions and locations. They are numbered and encoded as
 * samples need them, and written behind the samples.
 */
final class PprofTables {

    // Fields of the message Profile.
    private static final int LOCATION = 4;
    private static final int FUNCTION = 5;
    private static final int STRING = 6;

    private static final int MAPPING_ID = 1;

    /** What makes frames lines of the same function. */
    private record Method(
            String className,
            String methodName,
            String descriptor,
            @Nullable String file,
            int firstLine) {}

    private final Numbers<String> stringsByText = new Numbers<>();
    private final Numbers<Method> functionsByMethod = new Numbers<>();
    private final Numbers<StackFrame> locationsByFrame = new Numbers<>();
    private final Numbers<String> locationsByName = new Numbers<>();
    private final ProtoBuffer strings = new ProtoBuffer();
    private final ProtoBuffer functions = new ProtoBuffer();
    private final ProtoBuffer locations = new ProtoBuffer();
    private final ProtoBuffer entry = new ProtoBuffer();
    private final ProtoBuffer line = new ProtoBuffer();
    private int stringCount;
    private int functionCount;
    private int locationCount;

    PprofTables() {
        string("");
    }

    /** The number of a string; 0 for an empty one and for null. */
    int string(@Nullable String text) {
        String key = text == null ? "" : text;
        int known = stringsByText.of(key);
        if (known == Numbers.NONE) {
            known = add(key);
            stringsByText.put(key, known);
        }
        return known;
    }

    /** Adds a string that is hardly ever asked for again, so that it is not looked for. */
    private int add(String text) {
        strings.string(STRING, text.getBytes(StandardCharsets.UTF_8));
        return stringCount++;
    }

    /** The number of the location of a frame, from 1. */
    int location(StackFrame frame) {
        int known = locationsByFrame.of(frame);
        if (known == Numbers.NONE) {
            known = addLocation(function(frame), Math.max(frame.lineNumber(), 0));
            locationsByFrame.put(frame, known);
        }
        return known;
    }

    /** The number of a location that is no frame but says why there is none. */
    int location(String name) {
        int known = locationsByName.of(name);
        if (known == Numbers.NONE) {
            int text = string(name);
            known = addLocation(addFunction(text, text, 0, 0), 0);
            locationsByName.put(name, known);
        }
        return known;
    }

    private int addLocation(int function, int lineNumber) {
        line.clear().integer(1, function).integer(2, lineNumber);
        entry.clear().integer(1, ++locationCount).integer(2, MAPPING_ID).message(4, line);
        locations.message(LOCATION, entry);
        return locationCount;
    }

    /** The system name tells overloads apart; the class is in the name already. */
    private int function(StackFrame frame) {
        Method method =
                new Method(
                        frame.className(),
                        frame.methodName(),
                        frame.descriptor(),
                        frame.fileName(),
                        Math.max(frame.firstLineNumber(), 0));
        int known = functionsByMethod.of(method);
        if (known == Numbers.NONE) {
            int name = add(FrameNames.function(frame));
            int systemName = string(method.methodName + method.descriptor);
            known = addFunction(name, systemName, string(method.file), method.firstLine);
            functionsByMethod.put(method, known);
        }
        return known;
    }

    private int addFunction(int name, int systemName, int file, int firstLine) {
        entry.clear().integer(1, ++functionCount).integer(2, name).integer(3, systemName);
        functions.message(FUNCTION, entry.integer(4, file).integer(5, firstLine));
        return functionCount;
    }

    void writeTo(OutputStream out) throws IOException {
        locations.drainTo(out);
        functions.drainTo(out);
        strings.drainTo(out);
    }
}
