// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The beginning of classes that tests make. */
public final class MadeClass {

    private MadeClass() {}

    /**
     * Begins a public class of Java 17 with a constructor without parameters.
     *
     * @param name with slashes
     * @param type the interface that it implements, with slashes
     * @param options of the writer
     */
    public static ClassWriter begin(String name, String type, int options) {
        ClassWriter writer = new ClassWriter(options);
        int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL;
        writer.visit(Opcodes.V17, access, name, null, "java/lang/Object", new String[] {type});
        writer.visitSource(name.substring(name.lastIndexOf('/') + 1) + ".java", null);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
        return writer;
    }
}
