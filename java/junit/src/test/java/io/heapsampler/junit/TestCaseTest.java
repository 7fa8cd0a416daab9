// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Names of tests, by which baselines find them, in contexts as JUnit nests them. */
class TestCaseTest {

    private static final ExtensionContext ENGINE = context("JUnit Jupiter", null, null, null);

    static class Cart {
        void adds() {}
    }

    private static ExtensionContext context(
            String display,
            @Nullable Class<?> type,
            @Nullable Method method,
            @Nullable ExtensionContext parent) {
        return (ExtensionContext)
                Proxy.newProxyInstance(
                        TestCaseTest.class.getClassLoader(),
                        new Class<?>[] {ExtensionContext.class},
                        (proxy, called, arguments) ->
                                switch (called.getName()) {
                                    case "getDisplayName" -> display;
                                    case "getTestClass" -> Optional.ofNullable(type);
                                    case "getTestMethod" -> Optional.ofNullable(method);
                                    case "getRequiredTestMethod" -> method;
                                    case "getParent" -> Optional.ofNullable(parent);
                                    default -> throw new AssertionError(called.getName());
                                });
    }

    private static Method adds() throws NoSuchMethodException {
        return Cart.class.getDeclaredMethod("adds");
    }

    @Test
    void onlyTestOfAMethodHasItsName() throws Exception {
        ExtensionContext type = context("Cart", Cart.class, null, ENGINE);
        ExtensionContext method = context("adds()", Cart.class, adds(), type);

        assertThat(TestCase.of(method, false).name()).isEqualTo("Cart.adds()");
        assertThat(TestCase.of(method, true).name()).isEqualTo("Cart.adds() adds()");
    }

    @Test
    void invocationsOfAClassAreDistinguished() throws Exception {
        ExtensionContext type = context("Cart", Cart.class, null, ENGINE);
        ExtensionContext first = context("[1] empty", Cart.class, null, type);
        ExtensionContext method = context("adds()", Cart.class, adds(), first);
        ExtensionContext repetition = context("repetition 2 of 3", Cart.class, adds(), method);

        assertThat(TestCase.of(method, false).key())
                .isEqualTo(Cart.class.getName() + ".adds() [1] empty");
        assertThat(TestCase.of(repetition, true).name())
                .isEqualTo("Cart.adds() [1] empty / repetition 2 of 3");
        assertThat(TestCase.of(repetition, true).classes()).containsExactly(Cart.class);
    }

    @Test
    void dynamicTestsAreNamedAfterTheirContainers() throws Exception {
        ExtensionContext type = context("Cart", Cart.class, null, ENGINE);
        ExtensionContext factory = context("adds()", Cart.class, adds(), type);
        ExtensionContext container = context("of 10", Cart.class, null, factory);
        ExtensionContext dynamic = context("test", Cart.class, null, container);

        assertThat(TestCase.of(dynamic, true).name()).isEqualTo("Cart.adds() of 10 / test");
    }
}
