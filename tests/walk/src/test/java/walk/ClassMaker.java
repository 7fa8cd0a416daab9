// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.MadeClass;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Makes classes whose methods call each other in a chain, every other one from two call sites, and
 * allocate before and after. All with as many links are of the same size, so that one can take the
 * place of another in memory, but their call sites lie at other bytecode indexes and lines.
 */
final class ClassMaker {

    /** The name of every class made here. */
    static final String NAME = "walk.made.Chain";

    /** The lines of a class lie this close together. */
    static final int LINES = 1_000;

    private static final String INTERNAL = NAME.replace('.', '/');
    private static final String LINK = "(J)Ljava/lang/Object;";
    private static final int PADDING = 12;

    private final SplittableRandom random;
    private final int tail;
    private final int firstLine;

    private ClassMaker(long seed, int tail, int firstLine) {
        this.random = new SplittableRandom(seed);
        this.tail = tail;
        this.firstLine = firstLine;
    }

    /** Returns the class of that seed: a {@link LongFunction} of the way through the chain. */
    static byte[] chain(int links, long seed) {
        return chain(links, seed, 0);
    }

    /** The same with methods that are longer at their end, by as many bytes. */
    static byte[] chain(int links, long seed, int tail) {
        return new ClassMaker(seed, tail, 1).make(links);
    }

    /** The same with lines from the given one on, at most {@link #LINES}; all else is alike. */
    static byte[] chainWithLines(int links, long seed, int firstLine) {
        return new ClassMaker(seed, 0, firstLine).make(links);
    }

    /** Loads the class of that seed with a loader of its own. */
    @SuppressWarnings("unchecked")
    static LongFunction<Object> loadChain(int links, long seed)
            throws ReflectiveOperationException {
        return new Loader(Map.of(NAME, chain(links, seed))).make(NAME, LongFunction.class);
    }

    private byte[] make(int links) {
        ClassWriter writer =
                MadeClass.begin(
                        INTERNAL, "java/util/function/LongFunction", ClassWriter.COMPUTE_FRAMES);
        apply(writer);
        for (int i = 0; i < links; i++) {
            link(writer, i, i == links - 1);
        }
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static void apply(ClassWriter writer) {
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, "apply", LINK, null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.LLOAD, 1);
        code.visitMethodInsn(Opcodes.INVOKESTATIC, INTERNAL, "link0", LINK, false);
        code.visitInsn(Opcodes.ARETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private void link(ClassWriter writer, int number, boolean last) {
        MethodVisitor code =
                writer.visitMethod(Opcodes.ACC_STATIC, "link" + number, LINK, null, null);
        code.visitCode();
        int padding = random.nextInt(PADDING);
        pad(code, padding);
        line(code);
        code.visitVarInsn(Opcodes.LLOAD, 0);
        code.visitInsn(Opcodes.L2I);
        code.visitInsn(Opcodes.ICONST_1);
        code.visitInsn(Opcodes.IAND);
        if (number % 2 == 0) {
            twoCalls(code, number, last);
        } else {
            oneCall(code, number, last);
        }
        pad(code, PADDING - padding + tail);
        code.visitInsn(Opcodes.ACONST_NULL);
        code.visitInsn(Opcodes.ARETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private void twoCalls(MethodVisitor code, int number, boolean last) {
        Label other = new Label();
        code.visitJumpInsn(Opcodes.IFNE, other);
        line(code);
        allocate(code, random.nextInt(4));
        next(code, number, last);
        code.visitInsn(Opcodes.ARETURN);
        code.visitLabel(other);
        line(code);
        next(code, number, last);
        line(code);
        allocate(code, random.nextInt(4));
        code.visitInsn(Opcodes.ARETURN);
    }

    /** Two everywhere would double the inlined code with each link. */
    private void oneCall(MethodVisitor code, int number, boolean last) {
        Label both = new Label();
        code.visitJumpInsn(Opcodes.IFNE, both);
        line(code);
        allocate(code, random.nextInt(4));
        code.visitLabel(both);
        line(code);
        next(code, number, last);
        allocate(code, random.nextInt(4));
        code.visitInsn(Opcodes.ARETURN);
    }

    private static void pad(MethodVisitor code, int count) {
        for (int i = 0; i < count; i++) {
            code.visitInsn(Opcodes.NOP);
        }
    }

    private void line(MethodVisitor code) {
        Label here = new Label();
        code.visitLabel(here);
        code.visitLineNumber(firstLine + random.nextInt(LINES), here);
    }

    private static void allocate(MethodVisitor code, int length) {
        code.visitInsn(Opcodes.ICONST_0 + length);
        code.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
        code.visitFieldInsn(Opcodes.PUTSTATIC, "walk/Sink", "last", "Ljava/lang/Object;");
    }

    private static void next(MethodVisitor code, int number, boolean last) {
        if (last) {
            code.visitMethodInsn(Opcodes.INVOKESTATIC, "walk/Sink", "end", "()V", false);
            code.visitInsn(Opcodes.ACONST_NULL);
            return;
        }
        code.visitVarInsn(Opcodes.LLOAD, 0);
        code.visitInsn(Opcodes.ICONST_1);
        code.visitInsn(Opcodes.LUSHR);
        code.visitMethodInsn(Opcodes.INVOKESTATIC, INTERNAL, "link" + (number + 1), LINK, false);
    }
}
