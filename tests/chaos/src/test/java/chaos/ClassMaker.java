// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.MadeClass;
import java.util.SplittableRandom;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Makes classes whose methods call each other in a chain and allocate, each at other lines. */
final class ClassMaker {

    private static final String LINK = "()Ljava/lang/Object;";
    private static final int LINKS = 4;

    private ClassMaker() {}

    /** Returns a class of that name in this package, a {@link java.util.function.Supplier}. */
    static byte[] make(String simpleName, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String name = "chaos/" + simpleName;
        ClassWriter writer =
                MadeClass.begin(name, "java/util/function/Supplier", ClassWriter.COMPUTE_MAXS);
        for (int i = 0; i <= LINKS; i++) {
            method(writer, name, i, random);
        }
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static String nameOf(int number) {
        return number == 0 ? "get" : "link" + number;
    }

    private static void method(
            ClassWriter writer, String name, int number, SplittableRandom random) {
        MethodVisitor code =
                writer.visitMethod(Opcodes.ACC_PUBLIC, nameOf(number), LINK, null, null);
        code.visitCode();
        for (int i = random.nextInt(8); i > 0; i--) {
            code.visitInsn(Opcodes.NOP);
        }
        Label here = new Label();
        code.visitLabel(here);
        code.visitLineNumber(1 + random.nextInt(1_000), here);
        code.visitIntInsn(Opcodes.SIPUSH, 64 + random.nextInt(512));
        code.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
        if (number < LINKS) {
            code.visitInsn(Opcodes.POP);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, name, nameOf(number + 1), LINK, false);
        }
        code.visitInsn(Opcodes.ARETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }
}
