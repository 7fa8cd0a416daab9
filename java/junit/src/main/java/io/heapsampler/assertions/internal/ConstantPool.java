// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.io.DataInput;
import java.io.IOException;

/** The constants of a class file, as far as instructions name them. */
final class ConstantPool {

    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int NAME_AND_TYPE = 12;
    private static final int METHOD_HANDLE = 15;
    private static final int DYNAMIC = 17;

    private final String[] texts;
    private final int[] tags;

    /** The first index that a constant has; 0 for those without. */
    private final int[] first;

    /** The second one. */
    private final int[] second;

    private ConstantPool(int size) {
        texts = new String[size];
        tags = new int[size];
        first = new int[size];
        second = new int[size];
    }

    static ConstantPool read(DataInput in) throws IOException {
        int size = in.readUnsignedShort();
        ConstantPool pool = new ConstantPool(size);
        for (int i = 1; i < size; i++) {
            pool.readEntry(in, i);
            if (pool.tags[i] == LONG || pool.tags[i] == DOUBLE) {
                i++; // takes two places
            }
        }
        return pool;
    }

    private void readEntry(DataInput in, int i) throws IOException {
        int tag = in.readUnsignedByte();
        tags[i] = tag;
        switch (tag) {
            case UTF8 -> texts[i] = in.readUTF();
            case 3, 4 -> in.readInt();
            case LONG, DOUBLE -> in.readLong();
            case CLASS, STRING, 16, 19, 20 -> first[i] = in.readUnsignedShort();
            case METHOD_HANDLE -> {
                in.readUnsignedByte();
                first[i] = in.readUnsignedShort();
            }
            case 9, 10, 11, NAME_AND_TYPE, DYNAMIC, 18 -> {
                first[i] = in.readUnsignedShort();
                second[i] = in.readUnsignedShort();
            }
            default -> throw new IOException("constant " + tag);
        }
    }

    String text(int index) {
        String text = texts[index];
        return text == null ? "" : text;
    }

    boolean isString(int index) {
        return tags[index] == STRING;
    }

    boolean isDynamic(int index) {
        return tags[index] == DYNAMIC;
    }

    /** The name of the method that a reference to one names. */
    String memberName(int index) {
        return text(first[second[index]]);
    }

    /** The Java name of the class that a reference to a method names. */
    String memberClass(int index) {
        return className(first[index]);
    }

    /** The Java name of a class constant, such as {@code int[][]} or {@code java.lang.String}. */
    String className(int index) {
        return javaName(text(first[index]));
    }

    private static String javaName(String internal) {
        int dimensions = 0;
        while (dimensions < internal.length() && internal.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = internal.substring(dimensions);
        if (dimensions > 0) {
            element = elementName(element);
        }
        return element.replace('/', '.') + "[]".repeat(dimensions);
    }

    private static String elementName(String descriptor) {
        return switch (descriptor.charAt(0)) {
            case 'Z' -> "boolean";
            case 'B' -> "byte";
            case 'C' -> "char";
            case 'S' -> "short";
            case 'I' -> "int";
            case 'J' -> "long";
            case 'F' -> "float";
            case 'D' -> "double";
            default -> descriptor.substring(1, descriptor.length() - 1);
        };
    }
}
