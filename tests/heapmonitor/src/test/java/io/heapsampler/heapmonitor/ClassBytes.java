// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;

/** The bytes of a class, to be changed and loaded again. */
record ClassBytes(String name, byte[] bytes) {

    static ClassBytes of(Class<?> type) throws IOException {
        String file = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
            return new ClassBytes(type.getName(), in.readAllBytes());
        }
    }

    /** The same code, each line that much further down. */
    ClassBytes shiftLines(int by) {
        return change(
                next ->
                        new MethodVisitor(Opcodes.ASM9, next) {
                            @Override
                            public void visitLineNumber(int line, Label start) {
                                super.visitLineNumber(line + by, start);
                            }
                        });
    }

    /** Other code that does the same. */
    ClassBytes pad() {
        return change(
                next ->
                        new MethodVisitor(Opcodes.ASM9, next) {
                            @Override
                            public void visitCode() {
                                super.visitCode();
                                super.visitInsn(Opcodes.NOP);
                            }
                        });
    }

    private ClassBytes change(UnaryOperator<MethodVisitor> edit) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(bytes).accept(new EachMethod(writer, edit), 0);
        return new ClassBytes(name, writer.toByteArray());
    }

    ClassBytes rename(String newName) {
        ClassWriter writer = new ClassWriter(0);
        SimpleRemapper names =
                new SimpleRemapper(name.replace('.', '/'), newName.replace('.', '/'));
        new ClassReader(bytes).accept(new ClassRemapper(writer, names), 0);
        return new ClassBytes(newName, writer.toByteArray());
    }

    /** Loads the class in a loader of its own. */
    Class<?> load() {
        return new Loader().define(this);
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(ClassBytes.class.getClassLoader());
        }

        Class<?> define(ClassBytes type) {
            return defineClass(type.name(), type.bytes(), 0, type.bytes().length);
        }
    }

    private static final class EachMethod extends ClassVisitor {
        private final UnaryOperator<MethodVisitor> edit;

        EachMethod(ClassVisitor next, UnaryOperator<MethodVisitor> edit) {
            super(Opcodes.ASM9, next);
            this.edit = edit;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            return edit.apply(super.visitMethod(access, name, descriptor, signature, thrown));
        }
    }
}
