// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts code at the entry of every method: of the application and of the sampler a call that counts,
 * of the JDK two instructions without effect, because it cannot see our classes.
 */
final class Everything implements ClassFileTransformer {

    private static final int AT_ONCE = 256;

    private static final AtomicLong CLASSES = new AtomicLong();
    private static final AtomicLong FAILURES = new AtomicLong();

    private Everything() {}

    static void instrument(Instrumentation instrumentation) throws UnmodifiableClassException {
        instrumentation.addTransformer(new Everything(), true);
        again(instrumentation);
    }

    /** Transforms all that is loaded. */
    static void again(Instrumentation instrumentation) throws UnmodifiableClassException {
        List<Class<?>> types = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            if (instrumentation.isModifiableClass(type)) {
                types.add(type);
            }
        }
        for (int i = 0; i < types.size(); i += AT_ONCE) {
            transform(instrumentation, types.subList(i, Math.min(i + AT_ONCE, types.size())));
        }
    }

    /**
     * Some of the JDK's own are not available: the JVM refuses the whole call, so they are halved
     * out.
     */
    private static void transform(Instrumentation instrumentation, List<Class<?>> types)
            throws UnmodifiableClassException {
        try {
            instrumentation.retransformClasses(types.toArray(new Class<?>[0]));
        } catch (LinkageError | InternalError e) {
            if (types.size() == 1) {
                FAILURES.incrementAndGet();
                return;
            }
            int half = types.size() / 2;
            transform(instrumentation, types.subList(0, half));
            transform(instrumentation, types.subList(half, types.size()));
        }
    }

    /** Returns how many classes were transformed. */
    static long classes() {
        return CLASSES.get();
    }

    static long failures() {
        return FAILURES.get();
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (name == null || name.startsWith("org/objectweb/asm/") || name.equals("chaos/Entries")) {
            return null; // those are at work here
        }
        try {
            boolean isOurs = name.startsWith("chaos/") || name.startsWith("io/heapsampler/");
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Entry(writer, isOurs), 0);
            CLASSES.incrementAndGet();
            return writer.toByteArray();
        } catch (RuntimeException e) {
            FAILURES.incrementAndGet(); // the JVM would swallow it
            return null;
        }
    }

    private static final class Entry extends ClassVisitor {

        private final boolean isOurs;

        Entry(ClassVisitor next, boolean isOurs) {
            super(Opcodes.ASM9, next);
            this.isOurs = isOurs;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String type, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, type, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    if (isOurs) {
                        visitMethodInsn(
                                Opcodes.INVOKESTATIC, "chaos/Entries", "count", "()V", false);
                    } else {
                        visitInsn(Opcodes.ICONST_0);
                        visitInsn(Opcodes.POP);
                    }
                }
            };
        }
    }
}
