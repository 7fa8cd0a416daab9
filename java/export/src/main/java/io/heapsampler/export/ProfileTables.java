// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.StackFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What profiles refer to by number, in pprof and in OTLP: strings, functions and locations. They
 * are numbered and encoded as samples need them. The two formats differ in how entries look.
 */
abstract class ProfileTables {

    /** What makes frames lines of the same function. */
    private record Method(
            String className,
            String methodName,
            String descriptor,
            @Nullable String file,
            int firstLine) {}

    private final Numbers<String> stringsByText = new Numbers<>();
    private final Numbers<Method> functionsByMethod;
    private final Numbers<StackFrame> locationsByFrame;
    private final Numbers<String> locationsByName = new Numbers<>();
    private final int stringField;
    private final List<StackFrame> frames;
    private final int[] locationsByNumber;
    private int stringCount;
    private int functionCount;
    private int locationCount;

    final ProtoBuffer strings = new ProtoBuffer();
    final ProtoBuffer functions = new ProtoBuffer();
    final ProtoBuffer locations = new ProtoBuffer();

    ProfileTables(int stringField, HeapSnapshot snapshot) {
        this.stringField = stringField;
        this.frames = snapshot.frames();
        this.locationsByNumber = new int[frames.size()];
        this.functionsByMethod = new Numbers<>(frames.size());
        this.locationsByFrame = new Numbers<>(frames.size());
        string("");
    }

    /** Encodes a function. Functions are numbered from 1; all else is a string's number. */
    abstract void addFunction(int number, int name, int systemName, int file, int firstLine);

    /** Encodes a location, which has one line of one function. They are numbered from 1. */
    abstract void addLocation(int number, int function, int line);

    /** The number of a function's name. */
    abstract int name(String text);

    /** The number of a string; 0 for an empty one and for null. */
    final int string(@Nullable String text) {
        String key = text == null ? "" : text;
        int known = stringsByText.of(key);
        if (known == Numbers.NONE) {
            known = newString(key);
            stringsByText.put(key, known);
        }
        return known;
    }

    /** Adds a string without a look whether it is there. */
    final int newString(String text) {
        strings.string(stringField, text.getBytes(StandardCharsets.UTF_8));
        return stringCount++;
    }

    /** Adds the numbers of the locations of a stack to a packed array. */
    final void locations(SiteRow row, ProtoBuffer to) {
        HeapSite site = row.site();
        if (site == null) {
            for (StackFrame frame : row.stack()) {
                to.element(location(frame));
            }
            return;
        }
        int[] numbers = site.frameNumbers();
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = location(numbers[i]);
        }
        to.elements(numbers);
    }

    /** The number of the location of a frame of the snapshot. */
    private int location(int frame) {
        int known = locationsByNumber[frame];
        if (known == 0) {
            known = location(frames.get(frame));
            locationsByNumber[frame] = known;
        }
        return known;
    }

    private int location(StackFrame frame) {
        int known = locationsByFrame.of(frame);
        if (known == Numbers.NONE) {
            known = newLocation(function(frame), Math.max(frame.lineNumber(), 0));
            locationsByFrame.put(frame, known);
        }
        return known;
    }

    /** The number of a location that is no frame but says why there is none, or what is there. */
    final int location(String text) {
        int known = locationsByName.of(text);
        if (known == Numbers.NONE) {
            int name = string(text);
            known = newLocation(newFunction(name, name, 0, 0), 0);
            locationsByName.put(text, known);
        }
        return known;
    }

    private int newLocation(int function, int line) {
        addLocation(++locationCount, function, line);
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
            int name = name(FrameNames.function(frame));
            int systemName = string(method.methodName + method.descriptor);
            known = newFunction(name, systemName, string(method.file), method.firstLine);
            functionsByMethod.put(method, known);
        }
        return known;
    }

    private int newFunction(int name, int systemName, int file, int firstLine) {
        addFunction(++functionCount, name, systemName, file, firstLine);
        return functionCount;
    }
}
