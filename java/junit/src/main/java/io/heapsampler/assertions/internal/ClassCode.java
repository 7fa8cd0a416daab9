// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the instructions of a class can do, by method and line, as far as that shows who allocates
 * there. Read from its class file, so changes by agents to the loaded class are not in it.
 */
final class ClassCode {

    /** The line of instructions before the first one that has a line. */
    static final int NO_LINE = 0;

    /** By method name and descriptor. */
    final Map<String, Map<Integer, Line>> methods = new HashMap<>();

    /** Methods that no tool has added. */
    final Set<String> written = new HashSet<>();

    /** Has javac made this class for switches over enums? */
    boolean isSwitchMap;

    /**
     * Returns the code of a line of a method; of the whole method if its class was compiled, or
     * stripped, without lines; null if the class file does not contain it.
     */
    @Nullable Line line(String method, int line) {
        Map<Integer, Line> lines = methods.getOrDefault(method, Map.of());
        boolean hasLines = lines.size() != 1 || !lines.containsKey(NO_LINE);
        return line == NO_LINE && hasLines ? null : lines.get(line);
    }

    /** Is it a method that an author wrote, rather than one that a tool has added? */
    boolean hasInSource(String method, String descriptor) {
        return written.contains(method + descriptor);
    }

    /**
     * The class files that a loader finds. Those that were read last are kept for later tests, for
     * as long as the loader lives. Thread-safe.
     */
    static final class Cache {

        /** Some 10 KB each. */
        private static final int MOST = 256;

        private static final Map<ClassLoader, Map<String, Optional<ClassCode>>> KEPT =
                new WeakHashMap<>();

        private final ClassLoader loader;
        private final Map<String, Optional<ClassCode>> codes;

        private Cache(ClassLoader loader, Map<String, Optional<ClassCode>> codes) {
            this.loader = loader;
            this.codes = codes;
        }

        static Cache of(ClassLoader loader) {
            synchronized (KEPT) {
                return new Cache(loader, KEPT.computeIfAbsent(loader, key -> new Recent()));
            }
        }

        /** Evicts the class that was not used for longest. */
        private static final class Recent extends LinkedHashMap<String, Optional<ClassCode>> {

            private static final long serialVersionUID = 1;

            Recent() {
                super(16, 0.75f, true);
            }

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Optional<ClassCode>> eldest) {
                return size() > MOST;
            }
        }

        /** Returns the code of a frame's line; null if the class file does not contain it. */
        @Nullable Line line(HeapFrame frame) {
            ClassCode code = code(frame.className());
            return code == null
                    ? null
                    : code.line(
                            frame.methodName() + frame.descriptor(),
                            frame.lineNumber().orElse(NO_LINE));
        }

        /** Returns the code of a class; null if there is no class file, or an unreadable one. */
        @Nullable ClassCode code(String className) {
            synchronized (codes) {
                return codes.computeIfAbsent(className, this::read).orElse(null);
            }
        }

        private Optional<ClassCode> read(String className) {
            String file = className.replace('.', '/') + ".class";
            try (InputStream in = loader.getResourceAsStream(file)) {
                return in == null
                        ? Optional.empty()
                        : Optional.of(new ClassFile(in.readAllBytes()).code());
            } catch (IOException | RuntimeException e) {
                return Optional.empty();
            }
        }
    }

    /** What the instructions of one source line can do. */
    static final class Line {

        private static final List<String> ARRAYS = List.of("[]");
        private static final List<String> TEXTS = List.of("byte[]", "java.lang.String");

        /**
         * Methods of the JDK that a compiler replaces by an allocation of its own in the calling
         * method, and the ends of the names of the classes of these objects.
         */
        private static final Map<String, List<String>> INTRINSICS =
                Map.ofEntries(
                        Map.entry("java.util.Arrays.copyOf", ARRAYS),
                        Map.entry("java.util.Arrays.copyOfRange", ARRAYS),
                        Map.entry("java.lang.reflect.Array.newInstance", ARRAYS),
                        Map.entry("java.lang.reflect.Array.newArray", ARRAYS),
                        Map.entry("jdk.internal.misc.Unsafe.allocateUninitializedArray", ARRAYS),
                        Map.entry("jdk.internal.misc.Unsafe.allocateUninitializedArray0", ARRAYS),
                        Map.entry("jdk.internal.misc.Unsafe.allocateInstance", List.of("")),
                        Map.entry("sun.misc.Unsafe.allocateInstance", List.of("")),
                        Map.entry("java.math.BigInteger.multiplyToLen", List.of("int[]")),
                        Map.entry("java.math.BigInteger.implMultiplyToLen", List.of("int[]")),
                        Map.entry("java.lang.StringUTF16.toBytes", List.of("byte[]")),
                        Map.entry("java.lang.Integer.valueOf", List.of("java.lang.Integer")),
                        // ends a chain of append, of which the builder is left out
                        Map.entry("java.lang.StringBuilder.toString", TEXTS),
                        Map.entry("java.lang.StringBuffer.toString", TEXTS),
                        Map.entry("java.lang.AbstractStringBuilder.toString", TEXTS),
                        Map.entry("java.lang.CharSequence.toString", TEXTS),
                        Map.entry("java.lang.Object.toString", TEXTS));

        /** Have methods of which the JVM links each call by the types of its arguments. */
        private static final Set<String> HANDLES =
                Set.of("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle");

        final Set<String> allocated = new HashSet<>();
        private final Set<String> called = new HashSet<>();

        /** Ends of the names of classes that a compiler may allocate there. */
        private final List<String> intrinsic = new ArrayList<>();

        /** Does it load a constant String? */
        boolean hasStrings;

        /** Does the JVM link something there when it first runs? */
        boolean isLinked;

        void calls(String className, String methodName) {
            called.add(methodName);
            isLinked |= HANDLES.contains(className);
            // the class of the array is named, or any that inherits from Object
            intrinsic.addAll(
                    methodName.equals("clone")
                            ? ARRAYS
                            : INTRINSICS.getOrDefault(className + '.' + methodName, List.of()));
        }

        /** Can an instruction itself, or compiled code of a call, make such an object? */
        boolean canAllocate(String className) {
            return allocated.contains(className)
                    || intrinsic.stream().anyMatch(className::endsWith);
        }

        boolean canCall(String methodName) {
            return called.contains(methodName);
        }
    }
}
