// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.HashMap;
import java.util.Map;

/** Goes through the instructions of a method. */
final class Instructions {

    private static final int LDC = 18;
    private static final int LDC_W = 19;
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
    private static final int IINC = 132;

    private static final String[] PRIMITIVES = {
        "boolean[]", "char[]", "float[]", "double[]", "byte[]", "short[]", "int[]", "long[]"
    };

    private Instructions() {}

    static Map<Integer, LineCode> byLine(byte[] code, int[] lineAt, ConstantPool pool) {
        Map<Integer, LineCode> lines = new HashMap<>();
        int line = 0;
        for (int at = 0; at < code.length; at += length(code, at)) {
            line = lineAt[at] == 0 ? line : lineAt[at];
            note(code, at, pool, lines.computeIfAbsent(line, key -> new LineCode()));
        }
        return lines;
    }

    private static void note(byte[] code, int at, ConstantPool pool, LineCode line) {
        int operation = code[at] & 0xff;
        switch (operation) {
            case LDC -> noteConstant(code[at + 1] & 0xff, pool, line);
            case LDC_W, LDC_W + 1 -> noteConstant(index(code, at + 1), pool, line);
            case NEW -> line.allocates(pool.className(index(code, at + 1)));
            case NEWARRAY -> line.allocates(PRIMITIVES[code[at + 1] - 4]);
            case ANEWARRAY -> line.allocates(pool.className(index(code, at + 1)) + "[]");
            case MULTIANEWARRAY -> noteArrays(pool.className(index(code, at + 1)), line);
            case INVOKEDYNAMIC -> line.isLinkedDynamically();
            default -> {
                if (operation >= INVOKEVIRTUAL && operation <= INVOKEINTERFACE) {
                    int method = index(code, at + 1);
                    line.calls(pool.memberClass(method), pool.memberName(method));
                }
            }
        }
    }

    private static void noteConstant(int index, ConstantPool pool, LineCode line) {
        if (pool.isString(index)) {
            line.loadsString();
        } else if (pool.isDynamic(index)) {
            line.isLinkedDynamically();
        }
    }

    private static void noteArrays(String array, LineCode line) {
        String name = array;
        while (name.endsWith("[]")) {
            line.allocates(name);
            name = name.substring(0, name.length() - 2);
        }
    }

    private static int length(byte[] code, int at) {
        int operation = code[at] & 0xff;
        int operands = (at | 3) + 1; // at the next multiple of four
        return switch (operation) {
            case TABLESWITCH ->
                    operands
                            + 12
                            - at
                            + 4 * (word(code, operands + 8) - word(code, operands + 4) + 1);
            case LOOKUPSWITCH -> operands + 8 - at + 8 * word(code, operands + 4);
            case WIDE -> (code[at + 1] & 0xff) == IINC ? 6 : 4;
            default -> fixedLength(operation);
        };
    }

    private static int fixedLength(int operation) {
        return switch (operation) {
            // bipush, ldc, loads and stores, ret, newarray
            case 16, LDC, 21, 22, 23, 24, 25, 54, 55, 56, 57, 58, 169, NEWARRAY -> 2;
            // sipush, ldc_w, ldc2_w, iinc, new, anewarray, checkcast, instanceof, if[non]null
            case 17, LDC_W, LDC_W + 1, IINC, NEW, ANEWARRAY, 192, 193, 198, 199 -> 3;
            case MULTIANEWARRAY -> 4;
            // invokeinterface, invokedynamic, goto_w, jsr_w
            case INVOKEINTERFACE, INVOKEDYNAMIC, 200, 201 -> 5;
            default -> isJump(operation) || isFieldOrCall(operation) ? 3 : 1;
        };
    }

    private static boolean isJump(int operation) {
        return operation >= 153 && operation <= 168;
    }

    private static boolean isFieldOrCall(int operation) {
        return operation >= 178 && operation < INVOKEINTERFACE;
    }

    private static int index(byte[] code, int at) {
        return (code[at] & 0xff) << 8 | (code[at + 1] & 0xff);
    }

    private static int word(byte[] code, int at) {
        return index(code, at) << 16 | index(code, at + 2);
    }
}
