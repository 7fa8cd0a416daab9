// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which frames of a stack a message shows. */
class ShownFramesTest {

    private static List<StackTraceElement> stack(String... places) {
        return Arrays.stream(places).map(ShownFramesTest::frame).toList();
    }

    private static StackTraceElement frame(String place) {
        int dot = place.lastIndexOf('.');
        return new StackTraceElement(
                place.substring(0, dot), place.substring(dot + 1), "Any.java", 1);
    }

    private static ShownFrames shown(List<StackTraceElement> stack) {
        return ShownFrames.of(stack, name -> name.startsWith("com.acme."));
    }

    @Test
    void plumbingBetweenTheLeafAndTheCallIsLeftOut() {
        ShownFrames shown =
                shown(
                        stack(
                                "java.lang.StringConcatHelper.newArray",
                                "java.lang.invoke.DirectMethodHandle$Holder.invokeStatic",
                                "java.lang.invoke.LambdaForm$MH.invoke",
                                "java.lang.invoke.Invokers$Holder.linkToTargetMethod",
                                "com.acme.Cart.name",
                                "com.acme.Cart$$Lambda.get",
                                "java.util.Optional.orElseGet",
                                "com.acme.CartTest.names"));

        assertThat(shown.own()).isEqualTo(frame("com.acme.Cart.name"));
        assertThat(shown.frames())
                .isEqualTo(
                        stack(
                                "java.lang.StringConcatHelper.newArray",
                                "com.acme.Cart.name",
                                "java.util.Optional.orElseGet",
                                "com.acme.CartTest.names"));
        assertThat(shown.more()).isEqualTo(4);
    }

    @Test
    void ownCodeIsNamedHoweverDeepItLies() {
        StackTraceElement library = frame("org.h2.engine.Session.open");
        List<StackTraceElement> stack =
                Stream.concat(
                                Collections.nCopies(40, library).stream(),
                                Stream.of(frame("com.acme.CartTest.opens")))
                        .toList();

        ShownFrames shown = shown(stack);

        assertThat(shown.own()).isEqualTo(frame("com.acme.CartTest.opens"));
        assertThat(shown.frames()).hasSize(5).containsOnly(library);
        assertThat(shown.more()).isEqualTo(36);
    }

    @Test
    void ownLeafIsNotNamedTwice() {
        ShownFrames shown = shown(stack("com.acme.Cart.add", "com.acme.CartTest.adds"));

        assertThat(shown.own()).isNull();
        assertThat(shown.frames()).hasSize(2);
        assertThat(shown.more()).isZero();
    }

    @Test
    void emptyStackHasNoFrames() {
        assertThat(shown(List.of())).isEqualTo(new ShownFrames(null, List.of(), 0));
    }

    @Test
    void traceHasNoPlumbing() {
        List<StackTraceElement> stack =
                stack(
                        "java.lang.StringConcatHelper.newArray",
                        "java.lang.invoke.LambdaForm$MH.invoke",
                        "com.acme.Cart.name",
                        "jdk.internal.reflect.NativeMethodAccessorImpl.invoke0",
                        "com.acme.CartTest.names",
                        "com.acme.Main.main");

        assertThat(ShownFrames.trace(stack, 3))
                .containsExactlyElementsOf(
                        stack(
                                "java.lang.StringConcatHelper.newArray",
                                "com.acme.Cart.name",
                                "com.acme.CartTest.names"));
    }
}
