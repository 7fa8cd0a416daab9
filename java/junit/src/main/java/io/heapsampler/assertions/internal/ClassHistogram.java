// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The live objects of each class in the whole JVM, right after a full collection: the JVM's own
 * class histogram. It knows objects that are older than a recording and those of threads that no
 * recording saw, but not where they come from.
 */
final class ClassHistogram {

    /**
     * Live objects of one class.
     *
     * @param objects their number
     * @param bytes their bytes
     */
    record Count(long objects, long bytes) {

        private Count plus(Count other) {
            return new Count(objects + other.objects, bytes + other.bytes);
        }
    }

    private static final int COLUMNS = 4;
    private static final Map<String, String> PRIMITIVES =
            Map.of(
                    "Z", "boolean", "B", "byte", "C", "char", "S", "short", "I", "int", "J", "long",
                    "F", "float", "D", "double");

    private ClassHistogram() {}

    /** Collects and counts; null if the JVM has no histogram or refuses it. */
    static @Nullable Map<String, Count> take() {
        try {
            Object text =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "gcClassHistogram",
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            Map<String, Count> counts = parse(String.valueOf(text));
            return counts.isEmpty() ? null : counts;
        } catch (JMException | RuntimeException | LinkageError e) {
            return null; // not HotSpot, a runtime without jdk.management, or forbidden
        }
    }

    /** Reads lines such as {@code 1: 1865 4136416 [I (java.base@17.0.15)}. */
    static Map<String, Count> parse(String text) {
        Map<String, Count> counts = new TreeMap<>();
        text.lines().forEach(line -> add(line.trim().split("\\s+", -1), counts));
        return counts;
    }

    private static void add(String[] columns, Map<String, Count> counts) {
        if (columns.length >= COLUMNS && columns[0].endsWith(":")) {
            Count count = new Count(Long.parseLong(columns[1]), Long.parseLong(columns[2]));
            counts.merge(javaName(columns[3]), count, Count::plus);
        }
    }

    /** Returns the name that samples have; classes of lambdas are told apart by nobody. */
    static String javaName(String name) {
        int dimensions = 0;
        while (dimensions < name.length() && name.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = name.substring(dimensions);
        if (dimensions > 0) {
            element =
                    element.startsWith("L") && element.endsWith(";")
                            ? element.substring(1, element.length() - 1)
                            : PRIMITIVES.getOrDefault(element, element);
        }
        return withoutNumber(element) + "[]".repeat(dimensions);
    }

    /** Cuts what the JVM adds to the name of a hidden class. */
    static String withoutNumber(String className) {
        int lambda = className.indexOf("$$Lambda");
        return lambda < 0 ? className : className.substring(0, lambda + "$$Lambda".length());
    }
}
