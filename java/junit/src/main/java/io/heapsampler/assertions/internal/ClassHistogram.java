// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.Map;
import java.util.Set;

/**
 * The live objects of each class in the whole JVM, right after a full collection: the JVM's own
 * class histogram. It knows objects that are older than a recording and those of threads that no
 * recording saw, but not where they come from. Reading it allocates little, for a recording may be
 * watching.
 */
final class ClassHistogram {

    /** Gets the counts, one class after the other. */
    interface Visitor {

        /**
         * Gets one count.
         *
         * @param rawName as the JVM calls the class
         * @param objects how many are alive
         * @param bytes how much they take
         */
        void visit(String rawName, long objects, long bytes);
    }

    private static final Map<String, String> PRIMITIVES =
            Map.of(
                    "Z", "boolean", "B", "byte", "C", "char", "S", "short", "I", "int", "J", "long",
                    "F", "float", "D", "double");

    /** What collectors of JDK 19 and later put into gaps of the heap. */
    private static final Set<String> FILLERS =
            Set.of("jdk.internal.vm.FillerObject", "[Ljdk.internal.vm.FillerElement;");

    private static final String LAMBDA = "$$Lambda";

    /** Loaded with the first use. */
    private static final class First {

        static final boolean IS_AVAILABLE = take();

        /** Twice, for the second time still loads some. */
        private static boolean take() {
            boolean isAvailable = true;
            for (int i = 0; i < 2; i++) {
                isAvailable &= ClassHistogram.take(First::ignore);
            }
            return isAvailable;
        }

        private static void ignore(String rawName, long objects, long bytes) {}
    }

    private ClassHistogram() {}

    /**
     * Loads what counting loads, once in the life of the JVM, so that a recording which begins then
     * does not see it.
     */
    static boolean prepare() {
        return First.IS_AVAILABLE;
    }

    /** Collects and counts; false if the JVM has no histogram or refuses it. */
    static boolean take(Visitor visitor) {
        String text = JvmCommand.run("gcClassHistogram");
        try {
            return text != null && read(text, visitor) > 0;
        } catch (NumberFormatException e) {
            return false; // another format
        }
    }

    /**
     * Reads lines such as {@code 1: 1865 4136416 [I (java.base@17.0.15)}.
     *
     * @return how many there were
     */
    static int read(String text, Visitor visitor) {
        int count = 0;
        int begin = 0;
        while (begin < text.length()) {
            int end = text.indexOf('\n', begin);
            end = end < 0 ? text.length() : end;
            int colon = text.indexOf(':', begin);
            if (colon > begin && colon < end && Character.isDigit(text.charAt(colon - 1))) {
                line(text, colon + 1, end, visitor);
                count++;
            }
            begin = end + 1;
        }
        return count;
    }

    private static void line(String text, int begin, int end, Visitor visitor) {
        int objects = next(text, begin, end, ' ');
        int afterObjects = find(text, objects, end, ' ');
        int bytes = next(text, afterObjects, end, ' ');
        int afterBytes = find(text, bytes, end, ' ');
        int name = next(text, afterBytes, end, ' ');
        String rawName = text.substring(name, find(text, name, end, ' '));
        if (!FILLERS.contains(rawName)) {
            visitor.visit(
                    rawName,
                    Long.parseLong(text, objects, afterObjects, 10),
                    Long.parseLong(text, bytes, afterBytes, 10));
        }
    }

    private static int next(String text, int begin, int end, char separator) {
        int at = begin;
        while (at < end && text.charAt(at) == separator) {
            at++;
        }
        return at;
    }

    private static int find(String text, int begin, int end, char wanted) {
        int at = text.indexOf(wanted, begin);
        return at < 0 || at > end ? end : at;
    }

    /** Returns the name that samples have, which is one for all lambdas of a class. */
    static String javaName(String rawName) {
        int dimensions = 0;
        while (dimensions < rawName.length() && rawName.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = rawName.substring(dimensions);
        if (dimensions > 0) {
            element =
                    element.startsWith("L") && element.endsWith(";")
                            ? element.substring(1, element.length() - 1)
                            : PRIMITIVES.getOrDefault(element, element);
        }
        return withoutNumber(element) + "[]".repeat(dimensions);
    }

    /** Cuts what the JVM adds to the name of the class of a lambda. */
    static String withoutNumber(String className) {
        int lambda = className.indexOf(LAMBDA);
        return lambda < 0 ? className : className.substring(0, lambda + LAMBDA.length());
    }
}
