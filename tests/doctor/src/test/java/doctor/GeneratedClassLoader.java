// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Defines classes with methods that add two numbers, written without a compiler. */
final class GeneratedClassLoader extends ClassLoader {

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;

    GeneratedClassLoader() {
        super(GeneratedClassLoader.class.getClassLoader());
    }

    /** Defines a class with this internal name, a constructor and this many static methods. */
    Class<?> define(String name, int methods) throws IOException {
        byte[] code = code(name, methods);
        return defineClass(name.replace('/', '.'), code, 0, code.length);
    }

    private static byte[] code(String name, int methods) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(52);
        out.writeShort(11 + methods);
        utf8(out, name);
        entry(out, CLASS, 1);
        utf8(out, "java/lang/Object");
        entry(out, CLASS, 3);
        utf8(out, "<init>");
        utf8(out, "()V");
        utf8(out, "Code");
        utf8(out, "(II)I");
        out.writeByte(NAME_AND_TYPE);
        out.writeInt(5 << 16 | 6);
        out.writeByte(METHOD);
        out.writeInt(4 << 16 | 9);
        for (int i = 0; i < methods; i++) {
            utf8(out, "m" + i + '_' + name.substring(name.lastIndexOf('/') + 1));
        }
        out.writeInt(0x21 << 16 | 2);
        out.writeInt(4 << 16);
        out.writeShort(0); // No fields.
        out.writeShort(1 + methods);
        method(out, 1, 5, 6, new byte[] {0x2a, (byte) 0xb7, 0, 10, (byte) 0xb1});
        for (int i = 0; i < methods; i++) {
            method(out, 9, 11 + i, 8, new byte[] {0x1a, 0x1b, 0x60, (byte) 0xac});
        }
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void utf8(DataOutputStream out, String text) throws IOException {
        out.writeByte(UTF8);
        out.writeUTF(text);
    }

    private static void entry(DataOutputStream out, int tag, int at) throws IOException {
        out.writeByte(tag);
        out.writeShort(at);
    }

    private static void method(DataOutputStream out, int access, int name, int type, byte[] code)
            throws IOException {
        out.writeShort(access);
        out.writeShort(name);
        out.writeShort(type);
        out.writeShort(1);
        out.writeShort(7);
        out.writeInt(12 + code.length);
        out.writeInt(2 << 16 | 2);
        out.writeInt(code.length);
        out.write(code);
        out.writeInt(0); // Neither handlers nor attributes.
    }
}
