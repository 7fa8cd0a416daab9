// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static io.heapsampler.push.ContextBytes.bytes;
import static io.heapsampler.push.ContextBytes.context;
import static io.heapsampler.push.ContextBytes.integer;
import static io.heapsampler.push.ContextBytes.join;
import static io.heapsampler.push.ContextBytes.pair;
import static io.heapsampler.push.ContextBytes.real;
import static io.heapsampler.push.ContextBytes.text;
import static io.heapsampler.push.ContextBytes.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.entry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The resource in a process context, which other code has written. */
class ResourceAttributesTest {

    private static @Nullable Map<String, Object> of(byte[]... parts) {
        return ResourceAttributes.of(join(parts));
    }

    @Test
    void readsTextsInTheirOrder() {
        assertThat(of(texts("service.name", "shop", "service.instance.id", "1-2", "leer", "")))
                .containsExactly(
                        entry("service.name", "shop"),
                        entry("service.instance.id", "1-2"),
                        entry("leer", ""));
    }

    @Test
    void readsEachTypeOfValue() {
        byte[] array = bytes(5, bytes(1, text(1, "a")), bytes(1, integer(3, 7)), bytes(1));
        byte[] list = bytes(6, pair("k", integer(2, 0)));
        Map<String, Object> attributes =
                of(
                        context(
                                pair("yes", integer(2, 1)),
                                pair("number", integer(3, -5)),
                                pair("real", real(4, 0.5)),
                                pair("array", array),
                                pair("list", list),
                                pair("bytes", bytes(7, new byte[] {1, 2}))));

        assertThat(attributes)
                .containsEntry("yes", true)
                .containsEntry("number", -5L)
                .containsEntry("real", 0.5)
                .containsEntry("array", List.of("a", 7L))
                .containsEntry("list", Map.of("k", false))
                .containsEntry("bytes", new byte[] {1, 2});
    }

    @Test
    void leavesOutWhatHasNoKeyOrNoKnownValue() {
        assertThat(
                        of(
                                context(
                                        pair("", text(1, "x")),
                                        pair("none", new byte[0]),
                                        pair("later", text(9, "x")),
                                        text(1, ""),
                                        integer(2, 3),
                                        pair("a", text(1, "b"))),
                                bytes(2, text(1, "threadlocal.schema_version")),
                                integer(8, 1)))
                .containsExactly(entry("a", "b"));
    }

    @Test
    void theLastOfEqualKeysCounts() {
        assertThat(of(texts("a", "1", "a", "2"), texts("b", "3")))
                .containsExactly(entry("a", "2"), entry("b", "3"));
    }

    @Test
    void readsNothingOfDamagedPayloads() {
        byte[] whole = texts("service.name", "shop");
        byte[] notUtf8 = context(pair("a", bytes(1, new byte[] {(byte) 0xFF})));
        byte[] group = {(1 << 3) | 3};

        assertThat(of(Arrays.copyOf(whole, whole.length - 1))).isNull();
        assertThat(of(whole, new byte[] {0})).isNull();
        assertThat(of(whole, notUtf8)).isNull();
        assertThat(of(whole, group)).isNull();
        assertThat(of(whole, new byte[] {10, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1})).isNull();
        assertThat(of(new byte[0])).isEmpty();
    }

    @Test
    void readsNothingOfPayloadsThatAreTooDeep() {
        assertThat(of(context(pair("a", nested(7))))).containsKey("a");
        assertThat(of(context(pair("a", nested(8))))).isNull();
        assertThat(of(context(pair("a", nested(5000))))).isNull();
    }

    private static byte[] nested(int levels) {
        byte[] value = integer(3, 1);
        for (int i = 0; i < levels; i++) {
            value = bytes(5, bytes(1, value));
        }
        return value;
    }

    /** Seeded: each byte of a context replaced, and random bytes. */
    @Test
    void survivesAnyBytes() {
        byte[] whole = context(pair("a", nested(3)), pair("b", bytes(6, pair("k", real(4, 1)))));
        Random random = new Random(30);
        for (int i = 0; i < whole.length; i++) {
            byte[] changed = whole.clone();
            changed[i] = (byte) random.nextInt();
            assertThatCode(() -> ResourceAttributes.of(changed)).doesNotThrowAnyException();
        }
        for (int i = 0; i < 20_000; i++) {
            byte[] any = new byte[random.nextInt(40)];
            random.nextBytes(any);
            assertThatCode(() -> ResourceAttributes.of(any)).doesNotThrowAnyException();
        }
    }
}
