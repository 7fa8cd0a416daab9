// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A class file is read once, as long as it is among those that were used last. */
class ClassCodeTest {

    private static final String NAME = ClassCodeTest.class.getName();

    private static final class Counting extends ClassLoader {

        private int reads;

        Counting() {
            super(ClassCodeTest.class.getClassLoader());
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            reads++;
            return super.getResourceAsStream(name);
        }
    }

    @Test
    void laterTestsFindWhatEarlierOnesRead() {
        Counting loader = new Counting();
        ClassCode first = ClassCode.Cache.of(loader).code(NAME);

        assertThat(first).isNotNull();
        assertThat(ClassCode.Cache.of(loader).code(NAME)).isSameAs(first);
        assertThat(loader.reads).isOne();
        assertThat(ClassCode.Cache.of(new Counting()).code(NAME)).isNotNull().isNotSameAs(first);
    }

    @Test
    void missingClassIsSearchedOnce() {
        Counting loader = new Counting();

        assertThat(ClassCode.Cache.of(loader).code("no.such.Class")).isNull();
        assertThat(ClassCode.Cache.of(loader).code("no.such.Class")).isNull();
        assertThat(loader.reads).isOne();
    }

    @Test
    void classesUnusedForLongestAreForgotten() {
        Counting loader = new Counting();
        ClassCode.Cache codes = ClassCode.Cache.of(loader);
        codes.code(NAME);
        for (int i = 0; i < 1_000; i++) {
            codes.code("no.such.Class" + i);
        }
        int before = loader.reads;

        assertThat(codes.code(NAME)).isNotNull();
        assertThat(loader.reads).isEqualTo(before + 1);
    }

    /** A JDK that jlink has stripped has no lines, in frames and class files alike. */
    @Test
    void aMethodWithoutLinesCountsAsAWhole() {
        ClassCode stripped = new ClassCode();
        ClassCode.Line whole = new ClassCode.Line();
        stripped.methods.put("run()V", Map.of(ClassCode.NO_LINE, whole));
        assertThat(stripped.line("run()V", ClassCode.NO_LINE)).isSameAs(whole);
        assertThat(stripped.line("run()V", 7)).isNull();
        assertThat(stripped.line("stop()V", ClassCode.NO_LINE)).isNull();
    }

    @Test
    void aMethodWithLinesIsNotKnownWithoutOne() {
        ClassCode code = new ClassCode();
        ClassCode.Line seventh = new ClassCode.Line();
        code.methods.put("run()V", Map.of(ClassCode.NO_LINE, new ClassCode.Line(), 7, seventh));
        assertThat(code.line("run()V", 7)).isSameAs(seventh);
        assertThat(code.line("run()V", ClassCode.NO_LINE)).isNull();
        code.methods.put("stop()V", Map.of(7, seventh));
        assertThat(code.line("stop()V", ClassCode.NO_LINE)).isNull();
    }

    @Test
    void loadersAreNotKept() {
        WeakReference<ClassLoader> loader = used();
        for (int i = 0; i < 20 && loader.get() != null; i++) {
            System.gc();
        }
        assertThat(loader.get()).isNull();
    }

    private static WeakReference<ClassLoader> used() {
        Counting loader = new Counting();
        assertThat(ClassCode.Cache.of(loader).code(NAME)).isNotNull();
        return new WeakReference<>(loader);
    }
}
