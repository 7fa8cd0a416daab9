// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's diagnostic commands, which jcmd runs from outside: the queue of its compilers, and the
 * live objects of each class.
 */
final class JvmCommand {

    private static final long PAUSE_NANOS = 2_000_000;
    private static final long LONGEST_NANOS = 5_000_000_000L;

    private static final Map<String, String> PRIMITIVES =
            Map.of(
                    "Z", "boolean", "B", "byte", "C", "char", "S", "short", "I", "int", "J", "long",
                    "F", "float", "D", "double");

    /** Collectors of JDK 19 and later put them into gaps of the heap. */
    private static final Set<String> FILLERS =
            Set.of("jdk.internal.vm.FillerObject", "[Ljdk.internal.vm.FillerElement;");

    private static final String LAMBDA = "$$Lambda";

    private JvmCommand() {}

    /** Gets the counts of the class histogram, one class after the other. */
    interface Visitor {

        /**
         * Gets one count.
         *
         * @param rawName the JVM's name of the class
         * @param objects live objects
         * @param bytes their bytes
         */
        void visit(String rawName, long objects, long bytes);
    }

    /**
     * Runs a command without arguments.
     *
     * @param operation its name as an operation of the MBean: {@code gcClassHistogram} for {@code
     *     GC.class_histogram}
     * @return its output; null if the JVM is not HotSpot, runs without jdk.management or forbids it
     */
    static @Nullable String run(String operation) {
        try {
            Object text =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    operation,
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            return String.valueOf(text);
        } catch (JMException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    /**
     * Returns the value of one of the JVM's options, such as {@code true}; null as {@link #run}.
     */
    static @Nullable String option(String name) {
        try {
            Object option =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                                    "getVMOption",
                                    new Object[] {name},
                                    new String[] {String.class.getName()});
            return String.valueOf(((CompositeData) option).get("value"));
        } catch (JMException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    /**
     * Waits until the JVM's compilers have nothing more to do, or for a while. A busy machine may
     * keep a compiler from its work for seconds, in which its time does not grow either; so the JVM
     * is queried for outstanding compilations. Where that is impossible, there is no wait.
     */
    static void awaitCompilers() throws Throwable {
        Overhead.elsewhere(
                () -> {
                    long start = System.nanoTime();
                    String queue = run("compilerQueue");
                    while (queue != null
                            && !isQueueEmpty(queue)
                            && System.nanoTime() - start < LONGEST_NANOS) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                        queue = run("compilerQueue");
                    }
                    return null;
                });
    }

    /**
     * Is there nothing to compile?
     *
     * @param queue headings that end with a colon, and below each the current and waiting methods
     */
    static boolean isQueueEmpty(String queue) {
        return queue.lines()
                .map(String::strip)
                .allMatch(line -> line.isEmpty() || line.endsWith(":") || line.equals("Empty"));
    }

    /** Loads the classes of {@link #countObjects}, once in the life of the JVM. */
    private static final class First {

        static final boolean IS_AVAILABLE = take();

        /** Twice, because the second time still loads some. */
        private static boolean take() {
            boolean isAvailable = countObjects(First::ignore);
            return countObjects(First::ignore) && isAvailable;
        }

        private static void ignore(String rawName, long objects, long bytes) {}
    }

    /**
     * Loads the classes of {@link #countObjects}, so that a recording which begins then does not.
     */
    static boolean prepareToCountObjects() {
        return First.IS_AVAILABLE;
    }

    /**
     * Collects, and counts the live objects of each class in the whole JVM. They include objects
     * that are older than a recording and those of threads that no recording has seen, but not
     * their sites. Allocates little, because a recording may be open.
     *
     * @return false if the JVM has no histogram or refuses it
     */
    static boolean countObjects(Visitor visitor) {
        String text = run("gcClassHistogram");
        try {
            return text != null && readHistogram(text, visitor) > 0;
        } catch (NumberFormatException e) {
            return false; // another format
        }
    }

    /**
     * Reads lines such as {@code 1: 1865 4136416 [I (java.base@17.0.15)}.
     *
     * @return the number of these lines
     */
    static int readHistogram(String text, Visitor visitor) {
        int count = 0;
        int begin = 0;
        while (begin < text.length()) {
            int end = text.indexOf('\n', begin);
            end = end < 0 ? text.length() : end;
            int colon = text.indexOf(':', begin);
            if (colon > begin && colon < end && Character.isDigit(text.charAt(colon - 1))) {
                readLine(text, colon + 1, end, visitor);
                count++;
            }
            begin = end + 1;
        }
        return count;
    }

    private static void readLine(String text, int begin, int end, Visitor visitor) {
        int objects = skipBlanks(text, begin, end);
        int afterObjects = findBlank(text, objects, end);
        int bytes = skipBlanks(text, afterObjects, end);
        int afterBytes = findBlank(text, bytes, end);
        int name = skipBlanks(text, afterBytes, end);
        String rawName = text.substring(name, findBlank(text, name, end));
        if (!FILLERS.contains(rawName)) {
            visitor.visit(
                    rawName,
                    Long.parseLong(text, objects, afterObjects, 10),
                    Long.parseLong(text, bytes, afterBytes, 10));
        }
    }

    private static int skipBlanks(String text, int begin, int end) {
        int at = begin;
        while (at < end && text.charAt(at) == ' ') {
            at++;
        }
        return at;
    }

    private static int findBlank(String text, int begin, int end) {
        int at = text.indexOf(' ', begin);
        return at < 0 || at > end ? end : at;
    }

    /** Returns the name in samples for the JVM's name of a class. */
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

    /**
     * Cuts the number that the JVM adds to the class of a lambda: samples have one name for all.
     */
    static String withoutNumber(String className) {
        int lambda = className.indexOf(LAMBDA);
        return lambda < 0 ? className : className.substring(0, lambda + LAMBDA.length());
    }
}
