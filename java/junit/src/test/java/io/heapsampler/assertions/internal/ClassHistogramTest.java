// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JVM's own counts. */
class ClassHistogramTest {

    private static final class Rare {}

    private final List<Rare> rare = new ArrayList<>();

    private static long count() {
        long[] count = new long[1];
        boolean isThere =
                ClassHistogram.take(
                        (name, objects, bytes) ->
                                count[0] += name.equals(Rare.class.getName()) ? objects : 0);
        assertThat(isThere).isTrue();
        return count[0];
    }

    @Test
    void countsWhatIsAlive() {
        for (int i = 0; i < 10; i++) {
            rare.add(new Rare());
        }
        assertThat(count()).isEqualTo(10);

        rare.subList(3, 10).clear();
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void readsItsLines() {
        List<String> lines = new ArrayList<>();
        String text =
                " num     #instances         #bytes  class name (module)\n"
                        + "-------------------------------------------------------\n"
                        + "   1:          1865        4136416  [I (java.base@17.0.15)\n"
                        + "  12:             2             32  com.acme.Cart\n"
                        + "Total          1867        4136448\n";

        int count =
                ClassHistogram.read(
                        text,
                        (name, objects, bytes) -> lines.add(name + " " + objects + " " + bytes));

        assertThat(count).isEqualTo(2);
        assertThat(lines).containsExactly("[I 1865 4136416", "com.acme.Cart 2 32");
    }

    @Test
    void fillersOfTheHeapAreNoObjects() {
        List<String> names = new ArrayList<>();
        String text =
                "   1:             4            936  [Ljdk.internal.vm.FillerElement;"
                        + " (java.base@25)\n"
                        + "   2:             1             16  jdk.internal.vm.FillerObject"
                        + " (java.base@25)\n"
                        + "   3:             2             32  com.acme.Cart\n";

        ClassHistogram.read(text, (name, objects, bytes) -> names.add(name));

        assertThat(names).containsExactly("com.acme.Cart");
    }

    @ParameterizedTest
    @CsvSource({
        "[I, int[]",
        "[[B, byte[][]",
        "[Ljava.lang.Object;, java.lang.Object[]",
        "com.acme.Cart, com.acme.Cart",
        "com.acme.Cart$$Lambda$14/0x0000000800c03000, com.acme.Cart$$Lambda",
        "com.acme.Cart$$Lambda/0x0000000800c03000, com.acme.Cart$$Lambda"
    })
    void namesAreThoseOfSamples(String rawName, String name) {
        assertThat(ClassHistogram.javaName(rawName)).isEqualTo(name);
    }
}
