// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
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
            int firstLine) {

        /** Of what differs most, and not by the generated code, which is slower. */
        @Override
        public int hashCode() {
            return 31 * (31 * className.hashCode() + methodName.hashCode()) + descriptor.hashCode();
        }
    }

    private final Numbers<String> stringsByText = new Numbers<>();
    private final Numbers<Method> functionsByMethod;
    private final Numbers<String> locationsByName = new Numbers<>();
    private final int stringField;
    private final List<HeapFrame> frames;
    private final int[] locationsByNumber;
    private final FunctionLines locationsByLine;
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
        this.locationsByLine = new FunctionLines(frames.size());
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
        int next = stringCount;
        int number = stringsByText.of(key, next);
        return number == next ? newString(key) : number;
    }

    /** Adds a string without a look whether it is there. */
    final int newString(String text) {
        strings.string(stringField, text.getBytes(StandardCharsets.UTF_8));
        return stringCount++;
    }

    /** Adds the numbers of the locations of a stack to a packed array. */
    final void locations(SiteRow row, ProtoBuffer to) {
        HeapSite site = row.numbered();
        if (site == null) {
            for (HeapFrame frame : row.stack()) {
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
    final int location(int frame) {
        int known = locationsByNumber[frame];
        if (known == 0) {
            known = location(frames.get(frame));
            locationsByNumber[frame] = known;
        }
        return known;
    }

    private int location(HeapFrame frame) {
        int function = function(frame);
        int line = frame.lineNumber().orElse(0);
        int known = locationsByLine.find(function, line);
        return known == 0 ? newLocation(function, line) : known;
    }

    /** The number of a location that is no frame but says why there is none, or what is there. */
    final int location(String text) {
        int next = locationCount + 1;
        int number = locationsByName.of(text, next);
        if (number == next) {
            int name = string(text);
            newLocation(newFunction(name, name, 0, 0), 0);
        }
        return number;
    }

    private int newLocation(int function, int line) {
        addLocation(++locationCount, function, line);
        locationsByLine.add(function, line, locationCount);
        return locationCount;
    }

    /** The system name tells overloads apart; the class is in the name already. */
    private int function(HeapFrame frame) {
        Method method =
                new Method(
                        frame.className(),
                        frame.methodName(),
                        frame.descriptor(),
                        frame.fileName(),
                        frame.firstLineNumber().orElse(0));
        int next = functionCount + 1;
        int number = functionsByMethod.of(method, next);
        if (number == next) {
            int name = name(FrameNames.function(frame));
            int systemName = string(method.methodName + method.descriptor);
            newFunction(name, systemName, string(method.file), method.firstLine);
        }
        return number;
    }

    private int newFunction(int name, int systemName, int file, int firstLine) {
        addFunction(++functionCount, name, systemName, file, firstLine);
        return functionCount;
    }
}
