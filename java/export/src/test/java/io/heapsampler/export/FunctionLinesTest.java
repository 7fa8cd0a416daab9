// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FunctionLinesTest {

    /** More of both than there is room for in the beginning. */
    @Test
    void answersAsAHashMapDoes() {
        Random random = new Random(1);
        FunctionLines locations = new FunctionLines(0);
        Map<List<Integer>, Integer> expected = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            int function = 1 + random.nextInt(500);
            int line = random.nextInt(10);
            int next = expected.size() + 1;
            Integer known = expected.putIfAbsent(List.of(function, line), next);
            assertThat(locations.find(function, line)).isEqualTo(known == null ? 0 : known);
            if (known == null) {
                locations.add(function, line, next);
            }
        }
        assertThat(expected).hasSizeGreaterThan(4_900);
    }
}
