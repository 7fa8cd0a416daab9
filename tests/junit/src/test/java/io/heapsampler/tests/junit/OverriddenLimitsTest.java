// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit at a method that a test overrides does not count: such a class fails. */
class OverriddenLimitsTest {

    private static final String HERE = "io.heapsampler.tests.junit.OverriddenLimitsTest$";

    abstract static class Limited {

        @Test
        @NoAllocation
        void test() {
            Sink.last = new byte[10_000];
        }
    }

    abstract static class Generic<T> {

        @ParameterizedTest
        @ValueSource(ints = 1)
        @NoLeaks
        void test(T number) {}
    }

    interface Contract {

        @MaxAllocation("1 KB")
        @MaxAllocation(value = "1 KB", types = byte[].class)
        default void test() {
            Sink.last = new byte[10_000];
        }
    }

    static class OfClass extends Limited {

        @Test
        @NoLeaks
        @Override
        void test() {
            super.test();
        }
    }

    static class OfInterface implements Contract {

        @Test
        @Override
        public void test() {
            Contract.super.test();
        }
    }

    static class OfGeneric extends Generic<Integer> {

        @ParameterizedTest
        @ValueSource(ints = 1)
        @Override
        void test(Integer number) {}
    }

    static class WithLimit extends Limited implements Contract {

        @Test
        @MaxAllocation("1 MB")
        @Override
        public void test() {
            super.test();
        }
    }

    static class NoTest extends Limited {

        @Override
        void test() {
            super.test();
        }

        @Test
        void other() {}
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(OfClass.class, "OfClass.test", "Limited.test", "NoAllocation"),
                Arguments.of(
                        OfInterface.class, "OfInterface.test", "Contract.test", "MaxAllocation"),
                Arguments.of(OfGeneric.class, "OfGeneric.test", "Generic.test", "NoLeaks"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void testThatLosesOneIsRefused(Class<?> type, String test, String method, String limit) {
        assertThat(Launched.run(List.of(), type))
                .singleElement()
                .asString()
                .endsWith(
                        " FAILED: %s%s() overrides %s%s(), whose @%s does not count for it, since"
                                        .formatted(HERE, test, HERE, method, limit)
                                + " Java does not inherit annotations of methods. Write it, or"
                                + " another limit, at %s%s().".formatted(HERE, test));
    }

    @Test
    void testWithLimitsOfItsOwnRuns() {
        assertThat(Launched.run(List.of(), WithLimit.class, NoTest.class))
                .containsExactlyInAnyOrder("test() SUCCESSFUL", "other() SUCCESSFUL");
    }
}
