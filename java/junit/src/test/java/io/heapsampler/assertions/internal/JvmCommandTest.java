// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The queue of the compilers, and the counts of live objects. */
class JvmCommandTest {

    private static final class Rare {}

    private final List<Rare> rare = new ArrayList<>();

    private static long count() {
        long[] count = new long[1];
        boolean isThere =
                JvmCommand.countObjects(
                        (name, objects, bytes) ->
                                count[0] += name.equals(Rare.class.getName()) ? objects : 0);
        assertThat(isThere).isTrue();
        return count[0];
    }

    @Test
    void countsLiveObjects() {
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
                JvmCommand.readHistogram(
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

        JvmCommand.readHistogram(text, (name, objects, bytes) -> names.add(name));

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
        assertThat(JvmCommand.javaName(rawName)).isEqualTo(name);
    }

    @Test
    void queueIsReadAsTheJvmPrintsIt() {
        assertThat(JvmCommand.run("compilerQueue"))
                .contains("Current compiles:", "C2 compile queue:");
    }

    @Test
    void nothingToDo() {
        assertThat(
                        JvmCommand.isQueueEmpty(
                                "Current compiles: \n\nC1 compile queue:\nEmpty\n\n"
                                        + "C2 compile queue:\nEmpty\n\n"))
                .isTrue();
    }

    @Test
    void somethingIsCompiled() {
        assertThat(
                        JvmCommand.isQueueEmpty(
                                "Current compiles: \nC2 CompilerThread0  93       4"
                                        + "       java.util.zip.Inflater::inflate (10 bytes)\n\n"
                                        + "C1 compile queue:\nEmpty\n\nC2 compile queue:\nEmpty\n"))
                .isFalse();
    }

    @Test
    void somethingWaits() {
        assertThat(
                        JvmCommand.isQueueEmpty(
                                "Current compiles: \n\n"
                                        + "C1 compile queue:\n"
                                        + "Empty\n\n"
                                        + "C2 compile queue:\n"
                                        + "   95       4       Cart::add (21 bytes)\n"))
                .isFalse();
    }

    @Test
    void unknownCommandHasNoOutput() {
        assertThat(JvmCommand.run("noSuchCommand")).isNull();
    }
}
