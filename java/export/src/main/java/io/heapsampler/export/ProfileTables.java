// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbered tables of profiles in pprof and OTLP: strings, functions and locations. Entries are
 * numbered and encoded as samples need them. The two formats encode entries differently.
 */
abstract class ProfileTables {

    /** Frames of equal methods are lines of the same function. */
    private record Method(
            String className,
            String methodName,
            String descriptor,
            @Nullable String file,
            int firstLine) {

        /** Faster than the generated method, and most methods differ in these. */
        @Override
        public int hashCode() {
            return 31 * (31 * className.hashCode() + methodName.hashCode()) + descriptor.hashCode();
        }
    }

    private record Location(int function, int line) {}

    /**
     * The distance between samples, as profiles state it. Go's heap profiles have bytes. If
     * allocations are counted, a period in bytes would claim that each of them was sampled.
     *
     * @param type what is counted
     * @param unit of the value
     * @param value 1 or more
     */
    record Period(String type, String unit, long value) {

        static Period of(HeapSnapshot snapshot) {
            SamplingStrategy strategy = snapshot.strategy();
            return strategy.kind() == SamplingStrategy.Kind.ALLOCATIONS
                    ? new Period("objects", "count", Math.max(strategy.mean(), 1))
                    : new Period("space", "bytes", Math.max(snapshot.interval(), 1));
        }
    }

    private final Map<String, Integer> stringsByText = new HashMap<>();
    private final Map<Method, Integer> functionsByMethod;
    private final Map<Location, Integer> locationsByLine;
    private final Map<String, Integer> locationsByName = new HashMap<>();
    private final int stringField;
    private final List<HeapFrame> frames;
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
        this.functionsByMethod = new HashMap<>(frames.size());
        this.locationsByLine = new HashMap<>(2 * frames.size());
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
        Integer known = stringsByText.putIfAbsent(key, stringCount);
        return known == null ? newString(key) : known;
    }

    /** Adds a string that may be there already. */
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
        for (int frame : site.frameNumbers()) {
            to.element(location(frame));
        }
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
        Location location = new Location(function(frame), frame.lineNumber().orElse(0));
        Integer known = locationsByLine.putIfAbsent(location, locationCount + 1);
        return known == null ? newLocation(location) : known;
    }

    /** The number of a location without a frame: a class, or the reason for missing frames. */
    final int location(String text) {
        Integer known = locationsByName.putIfAbsent(text, locationCount + 1);
        if (known != null) {
            return known;
        }
        int name = string(text);
        return newLocation(new Location(newFunction(name, name, 0, 0), 0));
    }

    /**
     * The number of the location of a text that is no name of a function. It has no system name, so
     * pprof takes it as it is: of equal names it drops what is in brackets.
     */
    final int text(String text) {
        Integer known = locationsByName.putIfAbsent(text, locationCount + 1);
        return known == null
                ? newLocation(new Location(newFunction(string(text), 0, 0, 0), 0))
                : known;
    }

    private int newLocation(Location location) {
        addLocation(++locationCount, location.function, location.line);
        return locationCount;
    }

    /** The system name separates overloads; the class is in the name already. */
    private int function(HeapFrame frame) {
        Method method =
                new Method(
                        frame.className(),
                        frame.methodName(),
                        frame.descriptor(),
                        frame.fileName(),
                        frame.firstLineNumber().orElse(0));
        Integer known = functionsByMethod.putIfAbsent(method, functionCount + 1);
        if (known != null) {
            return known;
        }
        int name = name(SiteRow.name(frame));
        int systemName = string(method.methodName + method.descriptor);
        return newFunction(name, systemName, string(method.file), method.firstLine);
    }

    private int newFunction(int name, int systemName, int file, int firstLine) {
        addFunction(++functionCount, name, systemName, file, firstLine);
        return functionCount;
    }
}
