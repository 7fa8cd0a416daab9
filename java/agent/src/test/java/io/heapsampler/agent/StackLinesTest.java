// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StackLinesTest {

    /** Keeps what is written, and the length of the longest piece. */
    private static final class Pieces extends ByteArrayOutputStream {

        int longest;

        @Override
        public void write(byte[] bytes, int from, int length) {
            longest = Math.max(longest, length);
            super.write(bytes, from, length);
        }
    }

    /** An array of half a region, 512 KiB at least, costs G1 regions of its own. */
    @Test
    void aLargeTextIsWrittenInSmallPieces() throws Exception {
        Map<String, Long> figures = new TreeMap<>();
        StringBuilder expected = new StringBuilder();
        for (int i = 100_000; i < 120_000; i++) {
            String key = "com.example.Ünicode.main;com.example.Site" + i + ".allocate";
            figures.put(key, (long) i);
            expected.append(key).append(' ').append(i).append('\n');
        }
        Pieces out = new Pieces();

        StackLines.write(figures, out);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(expected.toString());
        assertThat(out.longest).isLessThanOrEqualTo(64 * 1024);
    }
}
