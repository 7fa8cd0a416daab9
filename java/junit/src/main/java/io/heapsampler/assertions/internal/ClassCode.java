// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The instructions of a class, by method and line, read from its class file. What agents have
 * changed in the loaded class is not in it.
 */
final class ClassCode {

    private static final int MAGIC = 0xCAFEBABE;
    private static final int SYNTHETIC = 0x1000;

    /** javac's tables for switches over enums are fields of classes that have nothing else. */
    private static final String SWITCH_MAP = "$SwitchMap$";

    private final Map<String, Map<Integer, LineCode>> methods = new HashMap<>();

    /** Methods that a compiler did not add by itself. */
    private final Set<String> written = new HashSet<>();

    private boolean isSwitchMap;

    private ClassCode() {}

    /**
     * Reads a class that a loader finds.
     *
     * @param className Java name
     * @return null if there is no class file, or not one that can be read
     */
    static @Nullable ClassCode of(String className, ClassLoader loader) {
        String file = className.replace('.', '/') + ".class";
        try (InputStream in = loader.getResourceAsStream(file)) {
            return in == null ? null : read(in.readAllBytes());
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** Returns the instructions of a line; null if the class file does not say. */
    @Nullable LineCode line(String method, String descriptor, int line) {
        return methods.getOrDefault(method + descriptor, Map.of()).get(line);
    }

    /** Is it a method that an author wrote, rather than one that a tool has added? */
    boolean hasInSource(String method, String descriptor) {
        return written.contains(method + descriptor);
    }

    /** Has javac made this class for switches over enums? */
    boolean isSwitchMap() {
        return isSwitchMap;
    }

    static ClassCode read(byte[] file) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
        if (in.readInt() != MAGIC) {
            throw new IOException("no class file");
        }
        in.readInt(); // version
        ConstantPool pool = ConstantPool.read(in);
        ClassCode code = new ClassCode();
        boolean isSynthetic = (in.readUnsignedShort() & SYNTHETIC) != 0;
        in.skipNBytes(4); // this and super
        in.skipNBytes(2L * in.readUnsignedShort()); // interfaces
        code.isSwitchMap = code.readFields(in, pool) && isSynthetic;
        int count = in.readUnsignedShort();
        for (int i = 0; i < count; i++) {
            code.readMethod(in, pool);
        }
        return code;
    }

    /** Returns whether all are tables of switches. */
    private boolean readFields(DataInputStream in, ConstantPool pool) throws IOException {
        int count = in.readUnsignedShort();
        boolean areTables = count > 0;
        for (int i = 0; i < count; i++) {
            in.readUnsignedShort();
            areTables &= pool.text(in.readUnsignedShort()).startsWith(SWITCH_MAP);
            in.readUnsignedShort();
            skipAttributes(in);
        }
        return areTables;
    }

    private static void skipAttributes(DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        for (int i = 0; i < count; i++) {
            in.readUnsignedShort();
            in.skipNBytes(in.readInt());
        }
    }

    private void readMethod(DataInputStream in, ConstantPool pool) throws IOException {
        boolean isSynthetic = (in.readUnsignedShort() & SYNTHETIC) != 0;
        String key = pool.text(in.readUnsignedShort()) + pool.text(in.readUnsignedShort());
        if (!isSynthetic) {
            written.add(key);
        }
        int count = in.readUnsignedShort();
        for (int i = 0; i < count; i++) {
            String name = pool.text(in.readUnsignedShort());
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            if (name.equals("Code")) {
                methods.put(key, lines(bytes, pool));
            }
        }
    }

    private static Map<Integer, LineCode> lines(byte[] attribute, ConstantPool pool)
            throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(attribute));
        in.readInt(); // stack and locals
        byte[] code = new byte[in.readInt()];
        in.readFully(code);
        in.skipNBytes(8L * in.readUnsignedShort()); // handlers
        int[] lineAt = new int[code.length];
        int count = in.readUnsignedShort();
        for (int i = 0; i < count; i++) {
            String name = pool.text(in.readUnsignedShort());
            int length = in.readInt();
            if (name.equals("LineNumberTable")) {
                readLines(in, lineAt);
            } else {
                in.skipNBytes(length);
            }
        }
        return Instructions.byLine(code, lineAt, pool);
    }

    /** Marks where lines begin; a table may be in several parts, in any order. */
    private static void readLines(DataInputStream in, int[] lineAt) throws IOException {
        int count = in.readUnsignedShort();
        for (int i = 0; i < count; i++) {
            int start = in.readUnsignedShort();
            lineAt[start] = in.readUnsignedShort();
        }
    }
}
