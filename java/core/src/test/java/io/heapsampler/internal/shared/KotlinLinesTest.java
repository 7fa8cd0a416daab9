// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of inlined Kotlin code. */
class KotlinLinesTest {

    /** A file of 14 lines whose line 9 calls map(), which is inlined. */
    private static final String MAP =
            """
            SMAP
            CartTest.kt
            Kotlin
            *S Kotlin
            *F
            + 1 CartTest.kt
            com/acme/CartTest
            + 2 _Collections.kt
            kotlin/collections/CollectionsKt___CollectionsKt
            *L
            1#1,14:1
            1557#2:15
            1628#2,3:16
            *S KotlinDebug
            *F
            + 1 CartTest.kt
            com/acme/CartTest
            *L
            9#1:15
            9#1:16,3
            *E
            """;

    private static StackTraceElement frame(String file, int line) {
        return new StackTraceElement("com.acme.CartTest", "adds", file, line);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "9, 9", "14, 14", "15, 9", "16, 9", "18, 9", "19, -1", "5000, -1"})
    void inlinedLineIsThatOfTheCall(int line, int shown) {
        assertThat(KotlinLines.corrected(frame("CartTest.kt", line), MAP).getLineNumber())
                .isEqualTo(shown);
    }

    @Test
    void withoutTheLinesOfCallsAnInlinedLineIsLeftOut() {
        String map = MAP.substring(0, MAP.indexOf("*S KotlinDebug")) + "*E\n";

        assertThat(KotlinLines.corrected(frame("CartTest.kt", 14), map))
                .isEqualTo(frame("CartTest.kt", 14));
        assertThat(KotlinLines.corrected(frame("CartTest.kt", 15), map))
                .hasToString("com.acme.CartTest.adds(CartTest.kt)");
    }

    /** Loads one class file only. */
    private static final class Loader extends ClassLoader {

        private final byte[] classFile;

        Loader(byte[] classFile) {
            super(null);
            this.classFile = classFile;
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return name.equals("com/acme/CartTest.class")
                    ? new ByteArrayInputStream(classFile)
                    : null;
        }
    }

    private static byte[] classFile(String map) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(
                Opcodes.V17,
                Opcodes.ACC_PUBLIC,
                "com/acme/CartTest",
                null,
                "java/lang/Object",
                new String[] {"java/io/Serializable"});
        writer.visitSource("CartTest.kt", map);
        writer.visitField(Opcodes.ACC_STATIC, "count", "J", "J", 5_000_000_000L).visitEnd();
        writer.visitMethod(Opcodes.ACC_ABSTRACT, "adds", "()V", null, null).visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    @Test
    void mapIsReadFromTheClassFile() throws IOException {
        assertThat(KotlinLines.map(new ByteArrayInputStream(classFile(MAP)))).isEqualTo(MAP);
        assertThat(KotlinLines.map(new ByteArrayInputStream(classFile(null)))).isNull();
    }

    @Test
    void frameIsCorrectedByTheClassOfTheTest() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(new Loader(classFile(MAP)));
        try {
            assertThat(KotlinLines.corrected(frame("CartTest.kt", 17)))
                    .isEqualTo(frame("CartTest.kt", 9));
            assertThat(KotlinLines.corrected(frame("CartTest.java", 17)))
                    .isEqualTo(frame("CartTest.java", 17));
        } finally {
            thread.setContextClassLoader(before);
        }
        assertThat(KotlinLines.corrected(frame("CartTest.kt", 17)))
                .isEqualTo(frame("CartTest.kt", 17));
    }

    @Test
    void damagedClassFileChangesNothing() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(new Loader(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 99}));
        try {
            assertThat(KotlinLines.corrected(frame("CartTest.kt", 17)))
                    .isEqualTo(frame("CartTest.kt", 17));
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
