// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lines of inlined Kotlin code. The compiler numbers them from the end of the file on, and stores
 * where each comes from in the attribute {@code SourceDebugExtension} of the class, in the form of
 * JSR 45: its stratum {@code KotlinDebug} has the line of the call in the file itself.
 */
final class KotlinLines {

    private static final String ATTRIBUTE = "SourceDebugExtension";
    private static final int LONGEST = 1 << 20;

    /** {@code inputLine#file,repeat:outputLine,increment}, of which the most may be missing. */
    private static final Pattern RANGE =
            Pattern.compile("(\\d+)(?:#\\d+)?(?:,(\\d+))?:(\\d+)(?:,(\\d+))?");

    private KotlinLines() {}

    /**
     * Returns the frame with the line of the call where its code was inlined; or without a line
     * where that cannot be found. All other frames stay as they are.
     */
    static StackTraceElement corrected(StackTraceElement frame) {
        String file = frame.getFileName();
        if (file == null || !file.endsWith(".kt") || frame.getLineNumber() <= 0) {
            return frame;
        }
        String map = map(frame.getClassName());
        return map == null ? frame : corrected(frame, map);
    }

    /** The same, by the text of the attribute. */
    static StackTraceElement corrected(StackTraceElement frame, String map) {
        String calls = stratum(map, "KotlinDebug");
        String own = stratum(map, "Kotlin");
        int line = frame.getLineNumber();
        int mapped = mapped(calls, line);
        if (mapped < 0 && mapped(own, line) == line) {
            return frame; // a line of the file itself
        }
        return new StackTraceElement(
                frame.getClassName(), frame.getMethodName(), frame.getFileName(), mapped);
    }

    private static String stratum(String map, String name) {
        String start = "*S " + name + "\n";
        int from = map.indexOf(start);
        if (from < 0) {
            return "";
        }
        int lines = map.indexOf("*L\n", from);
        int end = map.indexOf("\n*", lines + 1);
        return lines < 0 ? "" : map.substring(lines, end < 0 ? map.length() : end);
    }

    /** Returns the line in the source; -1 if it is not known. */
    private static int mapped(String ranges, int line) {
        for (String text : ranges.lines().toList()) {
            Matcher range = RANGE.matcher(text);
            if (range.matches()) {
                int repeat = number(range.group(2));
                int first = Integer.parseInt(range.group(3));
                int increment = Math.max(1, number(range.group(4)));
                if (line >= first && line < first + (long) repeat * increment) {
                    return Integer.parseInt(range.group(1)) + (line - first) / increment;
                }
            }
        }
        return -1;
    }

    private static int number(@Nullable String text) {
        return text == null ? 1 : Integer.parseInt(text);
    }

    private static @Nullable String map(String className) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        String path = className.replace('.', '/') + ".class";
        try (InputStream in =
                loader == null
                        ? ClassLoader.getSystemResourceAsStream(path)
                        : loader.getResourceAsStream(path)) {
            return in == null ? null : map(in);
        } catch (IOException | RuntimeException e) { // a message does without
            return null;
        }
    }

    /** Returns the attribute of a class file with line ends of Unix; null if there is none. */
    static @Nullable String map(InputStream classFile) throws IOException {
        DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(classFile));
        in.skipNBytes(8); // magic, version
        int name = indexOfName(in);
        if (name < 0) {
            return null;
        }
        in.skipNBytes(6); // access, class, superclass
        in.skipNBytes(2L * in.readUnsignedShort()); // interfaces
        skipMembers(in); // fields
        skipMembers(in); // methods
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int attribute = in.readUnsignedShort();
            int length = in.readInt();
            if (attribute == name && length >= 0 && length <= LONGEST) {
                byte[] text = in.readNBytes(length);
                return new String(text, StandardCharsets.UTF_8).replace("\r\n", "\n");
            }
            in.skipNBytes(Integer.toUnsignedLong(length));
        }
        return null;
    }

    /** Reads the constants; returns the number of the attribute's name, or -1. */
    private static int indexOfName(DataInputStream in) throws IOException {
        int found = -1;
        int count = in.readUnsignedShort();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> found = in.readUTF().equals(ATTRIBUTE) ? i : found;
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++; // takes two numbers
                }
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                default -> throw new IOException("constant of an unknown kind: " + tag);
            }
        }
        return found;
    }

    private static void skipMembers(DataInputStream in) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            in.skipNBytes(6); // access, name, descriptor
            for (int more = in.readUnsignedShort(); more > 0; more--) {
                in.skipNBytes(2);
                in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
            }
        }
    }
}
