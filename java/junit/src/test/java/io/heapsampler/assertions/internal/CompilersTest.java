// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompilersTest {

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
    void unknownCommandSaysNothing() {
        assertThat(JvmCommand.run("noSuchCommand")).isNull();
    }
}
