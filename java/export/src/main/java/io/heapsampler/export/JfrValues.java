// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.openjdk.jmc.flightrecorder.writer.api.TypedValue;

/** Classes, threads and stacks as values of the JDK's own types in a JFR recording. */
final class JfrValues {

    private static final Map<String, String> PRIMITIVES =
            Map.of(
                    "boolean", "Z", "byte", "B", "char", "C", "short", "S", "int", "I", "long", "J",
                    "float", "F", "double", "D");

    /** A thread by what makes it one. */
    private record ThreadKey(String name, long id) {}

    private final JfrTypes types;
    private final TypedValue interpreted;
    private final TypedValue nativeMethod;
    private final UnaryOperator<String> threadNames;
    private final Map<String, TypedValue> classes = new HashMap<>();
    private final Map<ThreadKey, TypedValue> threads = new HashMap<>();
    private final Map<HeapFrame, TypedValue> frames = new HashMap<>();

    JfrValues(JfrTypes types, UnaryOperator<String> threadNames) {
        this.types = types;
        this.threadNames = threadNames;
        // How a frame was compiled is not known, so all Java frames have the same type.
        interpreted =
                types.frameKind.asValue(value -> value.putField("description", "Interpreted"));
        nativeMethod = types.frameKind.asValue(value -> value.putField("description", "Native"));
    }

    TypedValue noStack() {
        return types.stack.nullValue();
    }

    TypedValue noThread() {
        return types.thread.nullValue();
    }

    TypedValue thread(String name, long id) {
        return threads.computeIfAbsent(new ThreadKey(threadNames.apply(name), id), this::newThread);
    }

    private TypedValue newThread(ThreadKey thread) {
        return types.thread.asValue(
                value -> {
                    value.putField("javaName", thread.name);
                    value.putField("osName", thread.name);
                    value.putField("javaThreadId", thread.id);
                });
    }

    TypedValue type(String javaName) {
        return classes.computeIfAbsent(
                javaName,
                name ->
                        types.type.asValue(
                                value -> value.putField("name", symbol(internalName(name)))));
    }

    TypedValue stack(SiteRow row) {
        List<HeapFrame> stack = row.stack();
        HeapSite site = row.site();
        if (stack.isEmpty()) {
            return noStack();
        }
        TypedValue[] values = new TypedValue[stack.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = frames.computeIfAbsent(stack.get(i), this::frame);
        }
        return types.stack.asValue(
                value -> {
                    value.putField("truncated", site != null && site.isTruncated());
                    value.putField("frames", values);
                });
    }

    private TypedValue frame(HeapFrame frame) {
        TypedValue method =
                types.method.asValue(
                        value -> {
                            value.putField("type", type(frame.className()));
                            value.putField("name", symbol(frame.methodName()));
                            value.putField("descriptor", symbol(frame.descriptor()));
                            value.putField("hidden", frame.isHidden());
                        });
        return types.frame.asValue(
                value -> {
                    value.putField("method", method);
                    value.putField("lineNumber", frame.lineNumber().orElse(-1));
                    value.putField("bytecodeIndex", -1);
                    value.putField("type", frame.isNative() ? nativeMethod : interpreted);
                });
    }

    private TypedValue symbol(String text) {
        return types.symbol.asValue(value -> value.putField("string", text));
    }

    /** Such as {@code java/lang/String} and {@code [[B}, as the JVM names classes in JFR. */
    static String internalName(String javaName) {
        int dimensions = 0;
        String element = javaName;
        while (element.endsWith("[]")) {
            element = element.substring(0, element.length() - 2);
            dimensions++;
        }
        String internal = element.replace('.', '/');
        if (dimensions == 0) {
            return internal;
        }
        String primitive = PRIMITIVES.get(element);
        return "[".repeat(dimensions) + (primitive != null ? primitive : "L" + internal + ";");
    }
}
