// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The examples of the specification, and the ends of the ranges. */
class ProtoBufferTest {

    private static String hex(ProtoBuffer buffer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        buffer.drainTo(out);
        return HexFormat.of().formatHex(out.toByteArray());
    }

    @Test
    void integers() throws IOException {
        assertThat(hex(new ProtoBuffer().integer(1, 150))).isEqualTo("089601");
        assertThat(hex(new ProtoBuffer().integer(1, 0))).isEmpty();
        assertThat(hex(new ProtoBuffer().repeated(1, 0))).isEqualTo("0800");
        assertThat(hex(new ProtoBuffer().integer(16, 127))).isEqualTo("80017f");
        assertThat(hex(new ProtoBuffer().integer(1, -1))).isEqualTo("08ffffffffffffffffff01");
        assertThat(hex(new ProtoBuffer().integer(1, Long.MAX_VALUE)))
                .isEqualTo("08ffffffffffffffff7f");
    }

    @Test
    void integersOfEightBytes() throws IOException {
        assertThat(hex(new ProtoBuffer().fixed64(3, 1))).isEqualTo("190100000000000000");
        assertThat(hex(new ProtoBuffer().fixed64(3, -2))).isEqualTo("19feffffffffffffff");
        assertThat(new ProtoBuffer().size()).isZero();
        assertThat(new ProtoBuffer().fixed64(1, 0).size()).isEqualTo(9);
    }

    @Test
    void stringsMessagesAndArrays() throws IOException {
        ProtoBuffer inner = new ProtoBuffer().integer(1, 150);
        ProtoBuffer packed = new ProtoBuffer();
        packed.element(3);
        packed.element(270);
        packed.element(86942);

        byte[] testing = "testing".getBytes(StandardCharsets.UTF_8);
        assertThat(hex(new ProtoBuffer().string(2, testing))).isEqualTo("120774657374696e67");
        assertThat(hex(new ProtoBuffer().message(3, inner))).isEqualTo("1a03089601");
        assertThat(hex(new ProtoBuffer().packed(4, packed))).isEqualTo("2206038e029ea705");
    }

    @Test
    void aMessageIsWrittenInParts() throws IOException {
        ProtoBuffer one = new ProtoBuffer().integer(1, 150);
        ProtoBuffer other = new ProtoBuffer().string(2, new byte[200]);
        byte[] whole =
                new ProtoBuffer()
                        .message(3, new ProtoBuffer().integer(1, 150).string(2, new byte[200]))
                        .copy();

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProtoBuffer.drainMessage(3, out, one, other);

        assertThat(out.toByteArray()).isEqualTo(whole);
        assertThat(one.size() + other.size()).isZero();
    }

    @Test
    void growsAndForgets() throws IOException {
        ProtoBuffer buffer = new ProtoBuffer().string(1, new byte[100_000]);

        assertThat(hex(buffer)).hasSize(2 * (1 + 3 + 100_000));
        assertThat(hex(buffer.integer(1, 1))).isEqualTo("0801");
        assertThat(hex(buffer.integer(1, 1).clear())).isEmpty();
    }
}
