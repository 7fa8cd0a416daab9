// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class FreshClassesTest {

    private final FreshClasses classes;

    FreshClassesTest() throws Exception {
        classes = new FreshClasses();
    }

    @Test
    void eachNumberIsAClassOfItsOwnName() throws Exception {
        assertThat(classes.load(42).getName())
                .isEqualTo("io.heapsampler.bench.Fresh00000042")
                .isEqualTo(FreshClasses.name(42));
        assertThat(classes.load(42)).isNotSameAs(classes.load(42));
    }

    @Test
    void aProbeAllocatesAnArrayOfItsOwnClass() throws Exception {
        Supplier<Object> probe = classes.probe(7);
        assertThat(probe.get().getClass().getComponentType()).isSameAs(probe.getClass());
    }
}
