// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NumbersTest {

    /** Equal keys that are not the same, and a hash code that most of them share. */
    private record Key(int value) {
        @Override
        public int hashCode() {
            return value % 7;
        }
    }

    @Test
    void answersAsAHashMapDoes() {
        Random random = new Random(1);
        Numbers<Key> numbers = new Numbers<>();
        Map<Key, Integer> expected = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            Key key = new Key(random.nextInt(2_000));
            Integer known = expected.putIfAbsent(key, i);
            assertThat(numbers.of(key, i)).isEqualTo(known == null ? i : known);
        }
        assertThat(expected.size()).isGreaterThan(1_900);
    }

    @Test
    void findsTheKeysThatHashCodesPutAnywhere() {
        Numbers<Integer> numbers = new Numbers<>();
        for (int key = 0; key < 100_000; key++) {
            assertThat(numbers.of(key - 50_000 << 13, key)).isEqualTo(key);
        }
        for (int key = 0; key < 100_000; key++) {
            assertThat(numbers.of(key - 50_000 << 13, 100_000)).isEqualTo(key);
        }
        assertThat(numbers.of(1, 100_000)).isEqualTo(100_000);
    }
}
