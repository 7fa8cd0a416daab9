// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.util.function.Consumer;
import org.openjdk.jmc.flightrecorder.writer.api.Recording;
import org.openjdk.jmc.flightrecorder.writer.api.Type;
import org.openjdk.jmc.flightrecorder.writer.api.TypeStructureBuilder;
import org.openjdk.jmc.flightrecorder.writer.api.Types;

/**
 * The types of a JFR recording, declared as the JDK declares them. The writer has some of its own,
 * but those have no ids of threads, and keep frames in a pool, which the JDK's own reader does not
 * expect.
 */
final class JfrTypes {

    final Type symbol;
    final Type type;
    final Type method;
    final Type frameKind;
    final Type frame;
    final Type stack;
    final Type thread;

    private final Recording recording;
    private final Type label;
    private final Type timestamp;

    JfrTypes(Recording recording) {
        this.recording = recording;
        Types types = recording.getTypes();
        label = annotation("jdk.jfr.Label");
        timestamp = annotation("jdk.jfr.Timestamp");
        symbol =
                types.getOrAdd(
                        "jdk.types.Symbol",
                        fields -> fields.addField("string", Types.Builtin.STRING));
        type = types.getOrAdd("java.lang.Class", fields -> fields.addField("name", symbol));
        method =
                types.getOrAdd(
                        "jdk.types.Method",
                        fields -> {
                            fields.addField("type", type).addField("name", symbol);
                            fields.addField("descriptor", symbol);
                            fields.addField("modifiers", Types.Builtin.INT);
                            fields.addField("hidden", Types.Builtin.BOOLEAN);
                        });
        frameKind =
                types.getOrAdd(
                        "jdk.types.FrameType",
                        fields -> fields.addField("description", Types.Builtin.STRING));
        frame =
                types.getOrAdd(
                        "jdk.types.StackFrame",
                        false,
                        fields -> {
                            fields.addField("method", method);
                            fields.addField("lineNumber", Types.Builtin.INT);
                            fields.addField("bytecodeIndex", Types.Builtin.INT);
                            fields.addField("type", frameKind);
                        });
        stack =
                types.getOrAdd(
                        "jdk.types.StackTrace",
                        fields -> {
                            fields.addField("truncated", Types.Builtin.BOOLEAN);
                            fields.addField("frames", frame, field -> field.asArray());
                        });
        thread =
                types.getOrAdd(
                        "java.lang.Thread",
                        fields -> {
                            fields.addField("osName", Types.Builtin.STRING);
                            fields.addField("osThreadId", Types.Builtin.LONG);
                            fields.addField("javaName", Types.Builtin.STRING);
                            fields.addField("javaThreadId", Types.Builtin.LONG);
                        });
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
                    event.addField("eventThread", thread);
                    event.addField("stackTrace", stack);
                    fields.accept(event);
                });
    }
}
