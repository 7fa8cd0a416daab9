// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.openjdk.jmc.flightrecorder.writer.api.Recording;
import org.openjdk.jmc.flightrecorder.writer.api.Type;
import org.openjdk.jmc.flightrecorder.writer.api.TypeStructureBuilder;
import org.openjdk.jmc.flightrecorder.writer.api.TypedValue;
import org.openjdk.jmc.flightrecorder.writer.api.Types;

/**
 * Classes, threads and stacks as values in a JFR recording. Their types are declared as the JDK
 * declares them: the types of the writer have no ids of threads, and keep frames in a pool, which
 * the JDK's own reader does not expect.
 */
final class JfrValues {

    private static final Map<String, String> PRIMITIVES =
            Map.of(
                    "boolean", "Z", "byte", "B", "char", "C", "short", "S", "int", "I", "long", "J",
                    "float", "F", "double", "D");

    private record ThreadKey(String name, long id) {}

    final Type classType;

    private final Type symbolType;
    private final Type methodType;
    private final Type frameKind;
    private final Type frameType;
    private final Type stackType;
    private final Type threadType;
    private final Recording recording;
    private final Type label;
    private final Type timestamp;
    private final TypedValue interpreted;
    private final TypedValue nativeMethod;
    private final UnaryOperator<String> threadNames;
    private final Map<String, TypedValue> classes = new HashMap<>();
    private final Map<ThreadKey, TypedValue> threads = new HashMap<>();
    private final Map<HeapFrame, TypedValue> frames = new HashMap<>();

    JfrValues(Recording recording, UnaryOperator<String> threadNames) {
        this.recording = recording;
        this.threadNames = threadNames;
        Types types = recording.getTypes();
        label = annotation("jdk.jfr.Label");
        timestamp = annotation("jdk.jfr.Timestamp");
        symbolType =
                types.getOrAdd(
                        "jdk.types.Symbol",
                        fields -> fields.addField("string", Types.Builtin.STRING));
        classType =
                types.getOrAdd("java.lang.Class", fields -> fields.addField("name", symbolType));
        methodType =
                types.getOrAdd(
                        "jdk.types.Method",
                        fields -> {
                            fields.addField("type", classType).addField("name", symbolType);
                            fields.addField("descriptor", symbolType);
                            fields.addField("modifiers", Types.Builtin.INT);
                            fields.addField("hidden", Types.Builtin.BOOLEAN);
                        });
        frameKind =
                types.getOrAdd(
                        "jdk.types.FrameType",
                        fields -> fields.addField("description", Types.Builtin.STRING));
        frameType =
                types.getOrAdd(
                        "jdk.types.StackFrame",
                        false,
                        fields -> {
                            fields.addField("method", methodType);
                            fields.addField("lineNumber", Types.Builtin.INT);
                            fields.addField("bytecodeIndex", Types.Builtin.INT);
                            fields.addField("type", frameKind);
                        });
        stackType =
                types.getOrAdd(
                        "jdk.types.StackTrace",
                        fields -> {
                            fields.addField("truncated", Types.Builtin.BOOLEAN);
                            fields.addField("frames", frameType, field -> field.asArray());
                        });
        threadType =
                types.getOrAdd(
                        "java.lang.Thread",
                        fields -> {
                            fields.addField("osName", Types.Builtin.STRING);
                            fields.addField("osThreadId", Types.Builtin.LONG);
                            fields.addField("javaName", Types.Builtin.STRING);
                            fields.addField("javaThreadId", Types.Builtin.LONG);
                        });
        // How a frame was compiled is not known, so all Java frames have the same type.
        interpreted = frameKind.asValue(value -> value.putField("description", "Interpreted"));
        nativeMethod = frameKind.asValue(value -> value.putField("description", "Native"));
    }

    private Type annotation(String name) {
        return recording.registerAnnotationType(
                name, fields -> fields.addField("value", Types.Builtin.STRING));
    }

    /** Declares an event. Its start comes first, where the JDK's own reader expects it. */
    Type event(String name, String title, Consumer<TypeStructureBuilder> fields) {
        return recording.registerType(
                name,
                "jdk.jfr.Event",
                event -> {
                    event.addAnnotation(label, title);
                    event.addField(
                            "startTime",
                            Types.Builtin.LONG,
                            field -> field.addAnnotation(timestamp, "TICKS"));
                    event.addField("eventThread", threadType);
                    event.addField("stackTrace", stackType);
                    fields.accept(event);
                });
    }

    TypedValue noStack() {
        return stackType.nullValue();
    }

    TypedValue noThread() {
        return threadType.nullValue();
    }

    TypedValue thread(String name, long id) {
        return threads.computeIfAbsent(new ThreadKey(threadNames.apply(name), id), this::newThread);
    }

    private TypedValue newThread(ThreadKey thread) {
        return threadType.asValue(
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
                        classType.asValue(
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
            values[i] = frames.computeIfAbsent(stack.get(i), this::newFrame);
        }
        return stackType.asValue(
                value -> {
                    value.putField("truncated", site != null && site.isTruncated());
                    value.putField("frames", values);
                });
    }

    private TypedValue newFrame(HeapFrame frame) {
        TypedValue method =
                methodType.asValue(
                        value -> {
                            value.putField("type", type(frame.className()));
                            value.putField("name", symbol(frame.methodName()));
                            value.putField("descriptor", symbol(frame.descriptor()));
                            value.putField("hidden", frame.isHidden());
                        });
        return frameType.asValue(
                value -> {
                    value.putField("method", method);
                    value.putField("lineNumber", frame.lineNumber().orElse(-1));
                    value.putField("bytecodeIndex", -1);
                    value.putField("type", frame.isNative() ? nativeMethod : interpreted);
                });
    }

    private TypedValue symbol(String text) {
        return symbolType.asValue(value -> value.putField("string", text));
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
