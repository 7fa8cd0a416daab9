// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a class file from front to back, as chapter 4 of the JVM specification describes it. A
 * damaged file makes it throw any runtime exception.
 */
final class ClassFile {

    private static final int MAGIC = 0xCAFEBABE;
    private static final int SYNTHETIC = 0x1000;

    /** javac's tables for switches over enums are fields of classes without other fields. */
    private static final String SWITCH_MAP = "$SwitchMap$";

    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int STRING = 8;
    private static final int DYNAMIC = 17;

    private static final int LDC = 18;
    private static final int LDC_W = 19;
    private static final int LDC2_W = 20;
    private static final int IINC = 132;
    private static final int TABLESWITCH = 170;
    private static final int LOOKUPSWITCH = 171;
    private static final int INVOKEVIRTUAL = 182;
    private static final int INVOKEINTERFACE = 185;
    private static final int INVOKEDYNAMIC = 186;
    private static final int NEW = 187;
    private static final int NEWARRAY = 188;
    private static final int ANEWARRAY = 189;
    private static final int WIDE = 196;
    private static final int MULTIANEWARRAY = 197;

    /** By the operand of newarray. */
    private static final List<String> PRIMITIVES =
            List.of(
                    "",
                    "",
                    "",
                    "",
                    "boolean[]",
                    "char[]",
                    "float[]",
                    "double[]",
                    "byte[]",
                    "short[]",
                    "int[]",
                    "long[]");

    private final ByteBuffer file;
    private final int[] tags;

    /** The index that a constant has first; 0 for those without. */
    private final int[] first;

    /** The index that it has second. */
    private final int[] second;

    private final String[] texts;
    private final ClassCode result = new ClassCode();

    ClassFile(byte[] bytes) throws IOException {
        file = ByteBuffer.wrap(bytes);
        if (file.getInt() != MAGIC) {
            throw new IOException("no class file");
        }
        file.getInt(); // version
        int size = u2();
        tags = new int[size];
        first = new int[size];
        second = new int[size];
        texts = new String[size];
        for (int i = 1; i < size; i += tags[i] == LONG || tags[i] == DOUBLE ? 2 : 1) {
            readConstant(i);
        }
    }

    private void readConstant(int i) throws IOException {
        tags[i] = file.get();
        switch (tags[i]) {
            case UTF8 -> texts[i] = utf();
            case LONG, DOUBLE -> file.getLong();
            // integer, float
            case 3, 4 -> file.getInt();
            // class, string, method type, module, package
            case 7, STRING, 16, 19, 20 -> first[i] = u2();
            // method handle
            case 15 -> {
                file.get();
                first[i] = u2();
            }
            // references to fields and methods, name and type, dynamic constants and calls
            case 9, 10, 11, 12, DYNAMIC, 18 -> {
                first[i] = u2();
                second[i] = u2();
            }
            default -> throw new IOException("constant " + tags[i]);
        }
    }

    private String utf() throws IOException {
        int begin = file.position();
        skip(u2());
        InputStream in = new ByteArrayInputStream(file.array(), begin, file.position() - begin);
        return new DataInputStream(in).readUTF();
    }

    private int u2() {
        return Short.toUnsignedInt(file.getShort());
    }

    private void skip(int bytes) {
        file.position(file.position() + bytes);
    }

    private String text(int index) {
        return texts[index] == null ? "" : texts[index];
    }

    private String className(int index) {
        return JvmCommand.javaName(text(first[index]).replace('/', '.'));
    }

    ClassCode code() {
        boolean isSynthetic = (u2() & SYNTHETIC) != 0;
        skip(4); // this and super
        skip(2 * u2()); // interfaces
        int fields = u2();
        result.isSwitchMap = isSynthetic && fields > 0;
        for (int i = 0; i < fields; i++) {
            u2(); // flags
            result.isSwitchMap &= text(u2()).startsWith(SWITCH_MAP);
            u2(); // descriptor
            attributes("", () -> {});
        }
        for (int methods = u2(); methods > 0; methods--) {
            readMethod();
        }
        return result;
    }

    private void readMethod() {
        boolean isSynthetic = (u2() & SYNTHETIC) != 0;
        String key = text(u2()) + text(u2());
        if (!isSynthetic) {
            result.written.add(key);
        }
        attributes("Code", () -> result.methods.put(key, readLines()));
    }

    /** Goes through the attributes that follow, and reads those of one name. */
    private void attributes(String wanted, Runnable reading) {
        for (int left = u2(); left > 0; left--) {
            boolean isWanted = text(u2()).equals(wanted);
            int length = file.getInt();
            int end = file.position() + length;
            if (isWanted) {
                reading.run();
            }
            file.position(end);
        }
    }

    private Map<Integer, ClassCode.Line> readLines() {
        file.getInt(); // stack and locals
        int length = file.getInt();
        ByteBuffer code = file.slice(file.position(), length);
        skip(length);
        skip(8 * u2()); // handlers
        int[] lineAt = new int[length];
        attributes("LineNumberTable", () -> readLineNumbers(lineAt));
        Map<Integer, ClassCode.Line> lines = new HashMap<>();
        int line = 0;
        for (int at = 0; at < length; at += length(code, at)) {
            line = lineAt[at] == 0 ? line : lineAt[at];
            note(code, at, lines.computeIfAbsent(line, key -> new ClassCode.Line()));
        }
        return lines;
    }

    /** Marks where lines begin; a table may be in several parts, in any order. */
    private void readLineNumbers(int[] lineAt) {
        for (int left = u2(); left > 0; left--) {
            int start = u2();
            lineAt[start] = u2();
        }
    }

    private void note(ByteBuffer code, int at, ClassCode.Line line) {
        int operation = u1(code, at);
        switch (operation) {
            case LDC -> noteConstant(u1(code, at + 1), line);
            case LDC_W, LDC2_W -> noteConstant(u2(code, at + 1), line);
            case NEW -> line.allocated.add(className(u2(code, at + 1)));
            case NEWARRAY -> line.allocated.add(PRIMITIVES.get(code.get(at + 1)));
            case ANEWARRAY -> line.allocated.add(className(u2(code, at + 1)) + "[]");
            case MULTIANEWARRAY -> {
                String name = className(u2(code, at + 1));
                for (; name.endsWith("[]"); name = name.substring(0, name.length() - 2)) {
                    line.allocated.add(name);
                }
            }
            case INVOKEDYNAMIC -> line.isLinked = true;
            default -> {
                if (operation >= INVOKEVIRTUAL && operation <= INVOKEINTERFACE) {
                    int method = u2(code, at + 1);
                    line.calls(className(first[method]), text(first[second[method]]));
                }
            }
        }
    }

    private void noteConstant(int index, ClassCode.Line line) {
        line.hasStrings |= tags[index] == STRING;
        line.isLinked |= tags[index] == DYNAMIC;
    }

    private static int length(ByteBuffer code, int at) {
        int operation = u1(code, at);
        int operands = (at | 3) + 1; // at the next multiple of four
        return switch (operation) {
            case TABLESWITCH -> {
                int cases = code.getInt(operands + 8) - code.getInt(operands + 4) + 1;
                yield operands + 12 - at + 4 * cases;
            }
            case LOOKUPSWITCH -> operands + 8 - at + 8 * code.getInt(operands + 4);
            case WIDE -> u1(code, at + 1) == IINC ? 6 : 4;
            // bipush, loads and stores, ret
            case 16, 21, 22, 23, 24, 25, 54, 55, 56, 57, 58, 169, LDC, NEWARRAY -> 2;
            // sipush, checkcast, instanceof, ifnull, ifnonnull
            case 17, 192, 193, 198, 199, LDC_W, LDC2_W, IINC, NEW, ANEWARRAY -> 3;
            case MULTIANEWARRAY -> 4;
            // goto_w, jsr_w
            case 200, 201, INVOKEINTERFACE, INVOKEDYNAMIC -> 5;
            default -> {
                boolean isJump = operation >= 153 && operation <= 168;
                boolean isFieldOrCall = operation >= 178 && operation < INVOKEINTERFACE;
                yield isJump || isFieldOrCall ? 3 : 1;
            }
        };
    }

    private static int u1(ByteBuffer code, int at) {
        return Byte.toUnsignedInt(code.get(at));
    }

    private static int u2(ByteBuffer code, int at) {
        return Short.toUnsignedInt(code.getShort(at));
    }
}
