// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Json json = new Json(out);

    private String finished() throws IOException {
        json.finish();
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0001, 0",
        "0.0004, 0",
        "1.2344, 1.234",
        "2.9999, 3",
        "999.9996, 1000",
        "1000.5, 1001",
        "-1234.4, -1234",
        "1e15, 1000000000000000",
        "1e18, 1.0E18",
        "NaN, null",
        "Infinity, null"
    })
    void figuresHaveAsManyDigitsAsTheyNeed(double figure, String text) throws IOException {
        json.figure(figure);

        assertThat(finished()).isEqualTo(text);
    }

    /** The text in memory is bounded: all but the last chunk is written before the end. */
    @Test
    void longArraysAreWrittenWhileTheyAreMade() throws IOException {
        json.begin('{');
        json.texts("a", Collections.nCopies(50_000, "x"), text -> text);
        json.objects("b", Collections.nCopies(50_000, "x"), text -> json.name(text).value(1));
        json.figures("c", new double[50_000], 1);
        json.column("d", Collections.nCopies(50_000, 1), number -> number);
        json.end('}');
        int written = out.size();

        assertThat(finished().length() - written).isBetween(0, 30_000);
        assertThat(written).isGreaterThan(50_000 * (4 + 8 + 2 + 2) - 30_000);
    }

    @Test
    void namesAreEscapedAndNumbered() throws IOException {
        Map<String, Integer> numbers = new LinkedHashMap<>();

        json.begin('[').value("</script>é").value(Json.number(numbers, "a"));
        json.value(Json.number(numbers, "b")).value(Json.number(numbers, "a")).end(']');

        assertThat(finished()).isEqualTo("[\"\\u003c/script\\u003eé\",0,1,0]");
    }
}
