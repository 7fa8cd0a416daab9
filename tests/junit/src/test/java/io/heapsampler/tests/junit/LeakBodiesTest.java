// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.ThrowingRunnable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.AssertionFailedError;

/** Each leak of a list is found, and what is none passes, with the defaults of {@code @NoLeaks}. */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeakBodiesTest {

    private static final int ITERATIONS = 20;

    private LeakBodies bodies;

    @BeforeAll
    void begin() {
        bodies = new LeakBodies();
    }

    @BeforeEach
    void assumeCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    @AfterAll
    void end() throws Exception {
        assertThat(bodies.close()).isNotNull();
    }

    Stream<String> leaks() {
        return bodies.leaks().keySet().stream();
    }

    Stream<String> clean() {
        return bodies.clean().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("leaks")
    void leakIsFound(String name) {
        ThrowingRunnable code = bodies.leaks().get(name);
        assertThatThrownBy(
                        () ->
                                assertAllocations(code)
                                        .as(name)
                                        .iterations(ITERATIONS)
                                        .leaksAtMost("0 B"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith(name + " leaks: ")
                .hasMessageContaining("LeakBodies");
    }

    @ParameterizedTest
    @MethodSource("clean")
    void whatIsNoneIsNot(String name) {
        assertAllocations(bodies.clean().get(name))
                .as(name)
                .iterations(ITERATIONS)
                .leaksAtMost("0 B");
    }
}
