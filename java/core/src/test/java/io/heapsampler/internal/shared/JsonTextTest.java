// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTextTest {

    @Test
    void separatesEntriesByCommas() {
        JsonText json = new JsonText().begin('{').name("a").value(1).name("b").begin('[');
        json.value("x").value(true).nothing().begin('{').end('}').end(']');
        json.name("c").begin('[').end(']').end('}');
        assertThat(json).hasToString("{\"a\":1,\"b\":[\"x\",true,null,{}],\"c\":[]}");
    }

    @Test
    void numbersAreWholeOrHaveSixDigitsAndTheRestIsNull() {
        JsonText json = new JsonText().begin('[').value(1e14).value(0.8312345).value(123456789.5);
        json.value(Double.NaN).value(Double.POSITIVE_INFINITY).end(']');
        assertThat(json).hasToString("[100000000000000,0.831235,1.23457e+08,null,null]");
    }

    @Test
    void aTreeIsOneLineWithExactNumbers() {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("a", List.of(1, 1.0, 0.1234567, Double.NaN, "<", true));
        tree.put("b", null);
        tree.put("c", Map.of());

        assertThat(JsonText.of(tree))
                .isEqualTo("{\"a\":[1,1,0.1234567,null,\"\\u003c\",true],\"b\":null,\"c\":{}}\n");
    }

    @Test
    void charactersWithAMeaningAreEscaped() {
        String text = "\"\\\n<>&'\u2028\ud800";
        assertThat(new JsonText().value(text))
                .hasToString("\"\\\"\\\\\\u000a\\u003c\\u003e\\u0026\\u0027\\u2028\\ud800\"");
    }
}
