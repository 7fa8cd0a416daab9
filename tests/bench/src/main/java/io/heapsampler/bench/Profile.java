// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Where threads were when {@code perf} looked: in which library, and of what lay below
 * HeapSampler's callback, in which library and in which functions of ours. Reads what {@code perf
 * script -F comm,ip,sym,dso} prints: a line with the thread's name, a line for each frame, leaf
 * first, and an empty one.
 *
 * <p>A library that uses the frame pointer for other things ends a stack too early, so that a
 * little of what libc does for the callback is not seen below it.
 */
final class Profile {

    private static final String OURS = "heapsampler";

    private int samples;
    private int below;
    private final Map<String, Integer> libraries = new TreeMap<>();
    private final Map<String, Integer> librariesBelow = new TreeMap<>();
    private final Map<String, Integer> functions = new TreeMap<>();
    private final Map<String, Integer> withCallees = new TreeMap<>();

    /** A frame: the plain name of its library and of its function. */
    private record Frame(String library, String function) {

        boolean isOurs() {
            return library.equals(OURS);
        }
    }

    private Profile() {}

    /** Reads the samples of the threads whose names begin so. */
    static Profile read(BufferedReader script, String threads) throws IOException {
        Profile profile = new Profile();
        List<Frame> stack = new ArrayList<>();
        boolean isWanted = false;
        for (String line = script.readLine(); line != null; line = script.readLine()) {
            if (line.isBlank()) {
                profile.add(stack);
                stack.clear();
            } else if (!Character.isWhitespace(line.charAt(0))) {
                isWanted = line.startsWith(threads);
            } else if (isWanted) {
                stack.add(frame(line.strip()));
            }
        }
        profile.add(stack);
        return profile;
    }

    /** Reads {@code address function (library)}. */
    private static Frame frame(String line) {
        int library = line.lastIndexOf(" (");
        int function = line.indexOf(' ') + 1;
        if (library < function) {
            return new Frame("other", "unknown");
        }
        String path = line.substring(library + 2, line.length() - 1);
        return new Frame(libraryOf(path), plain(line.substring(function, library)));
    }

    private static String libraryOf(String path) {
        String file = path.substring(path.lastIndexOf('/') + 1);
        if (file.startsWith("libheapsampler")) {
            return OURS;
        }
        if (file.startsWith("libjvm.")) {
            return "jvm";
        }
        if (file.startsWith("libc.") || file.startsWith("libc-") || file.startsWith("libpthread")) {
            return "libc";
        }
        if (file.startsWith("[kernel") || file.startsWith("[guest.kernel")) {
            return "kernel";
        }
        boolean isCompiled = file.equals("anon") || file.matches("perf-\\d+\\.map");
        return isCompiled || file.equals("[unknown]") ? "java" : "other";
    }

    /** Without what the compiler adds to the name of a part or a copy of a function. */
    private static String plain(String function) {
        int dot = function.indexOf('.');
        return dot > 0 ? function.substring(0, dot) : function;
    }

    private void add(List<Frame> stack) {
        if (stack.isEmpty()) {
            return;
        }
        samples++;
        Frame leaf = stack.get(0);
        count(libraries, leaf.library());
        Set<String> ours = new HashSet<>();
        stack.stream().filter(Frame::isOurs).forEach(frame -> ours.add(frame.function()));
        if (ours.isEmpty()) {
            return;
        }
        below++;
        count(librariesBelow, leaf.library());
        if (leaf.isOurs()) {
            count(functions, leaf.function());
        }
        ours.forEach(function -> count(withCallees, function));
    }

    private static void count(Map<String, Integer> counts, String name) {
        counts.merge(name, 1, Integer::sum);
    }

    /** Samples of the threads wanted. */
    int samples() {
        return samples;
    }

    /** Samples with a function of ours on the stack. */
    int below() {
        return below;
    }

    /** All samples by the library they were in. */
    Map<String, Integer> libraries() {
        return libraries;
    }

    /** Of those below our callback, the same. */
    Map<String, Integer> librariesBelow() {
        return librariesBelow;
    }

    /** Samples in functions of ours. */
    Map<String, Integer> functions() {
        return functions;
    }

    /** Samples in functions of ours and whatever they called. */
    Map<String, Integer> withCallees() {
        return withCallees;
    }
}
