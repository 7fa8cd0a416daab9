// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** Each run goes another way to the objects that it keeps, so that no site grows twice. */
@Tag("once")
class ScatteredLeakTest {

    /** Has room for all of them, so that it does not grow itself. */
    private final Deque<Object> kept = new ArrayDeque<>(4_000);

    private int next;

    @BeforeEach
    void assumeCollections() {
        Collections.assumeCollections();
    }

    private void first(int way) {
        if (way % 2 == 0) {
            second(way / 2);
        } else {
            second(way / 2);
        }
    }

    private void second(int way) {
        if (way % 2 == 0) {
            third(way / 2);
        } else {
            third(way / 2);
        }
    }

    private void third(int way) {
        if (way % 2 == 0) {
            fourth(way / 2);
        } else {
            fourth(way / 2);
        }
    }

    private void fourth(int way) {
        switch (way % 4) {
            case 0:
                fifth(way / 4);
                break;
            case 1:
                fifth(way / 4);
                break;
            case 2:
                fifth(way / 4);
                break;
            default:
                fifth(way / 4);
        }
    }

    private void fifth(int way) {
        switch (way % 8) {
            case 0:
                keep();
                break;
            case 1:
                keep();
                break;
            case 2:
                keep();
                break;
            case 3:
                keep();
                break;
            case 4:
                keep();
                break;
            case 5:
                keep();
                break;
            case 6:
                keep();
                break;
            default:
                keep();
        }
    }

    private void keep() {
        kept.add(new byte[100]);
    }

    @Test
    void isFound() {
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> first(next++))
                                        .as("keeps all")
                                        .iterations(20)
                                        .leaksAtMost("0 B"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith("keeps all leaks: ")
                .hasMessageContaining("ScatteredLeakTest.keep(");
    }

    @Test
    void isNoneIfNewOnesTakeTheirPlace() {
        for (int i = 0; i < 50; i++) {
            keep();
        }
        assertAllocations(
                        () -> {
                            first(next++);
                            kept.removeFirst();
                        })
                .as("replaces")
                .iterations(20)
                .leaksAtMost("0 B");
    }

    @Test
    void isNoneIfItEnds() {
        assertAllocations(
                        () -> {
                            if (next < 60) {
                                first(next++);
                            }
                        })
                .as("fills")
                .iterations(20)
                .leaksAtMost("0 B");
    }
}
