// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Blocks built without the native library. */
class BlockBuilderTest {

    private static final Instant TIME = Instant.parse("2026-11-22T10:15:00Z");

    @Test
    void sectionsFollowTheHeaderInTheOrderOfTheirTagsAndArePadded() {
        byte[] block =
                new BlockBuilder()
                        .section(3, 7, new byte[] {1, 2, 3})
                        .numbers(1, 1, new long[] {5})
                        .block();
        ByteBuffer expected = BlockBuilder.entry(32 + 16 + 8 + 16 + 8);
        expected.put("HSNP".getBytes(StandardCharsets.US_ASCII)).put(new byte[] {1, 0, 32, 0});
        expected.putInt(2).putInt(0).putLong(80).putLong(0);
        expected.putInt(1).putInt(1).putLong(8).putLong(5);
        expected.putInt(3).putInt(7).putLong(3).put(new byte[] {1, 2, 3, 0, 0, 0, 0, 0});

        assertThat(block).isEqualTo(expected.array());
    }

    @Test
    void builtBlocksAreReadWithTheSameFramesFiguresAndNames() throws IOException {
        String name = "com.acme.Gr\u00F6\u00DFe\uD83D\uDE00\u20AC";
        BlockBuilder builder = new BlockBuilder().info(TIME, 25, 70);
        int frame = builder.frame(name, name, "main", "()V", "Main.java", 12, 0);
        int stack = builder.stack(true, frame, frame);
        builder.site(stack, builder.name("byte[]"), 1, 2, 0, 48, 0, 24, -1);

        HeapSnapshot snapshot = HeapSnapshot.read(new ByteArrayInputStream(builder.block()));

        assertThat(snapshot.takenAt()).isEqualTo(TIME);
        assertThat(snapshot.notes()).isEmpty();
        assertThat(snapshot.sites()).hasSize(1);
        HeapSite site = snapshot.sites().get(0);
        assertThat(site.className()).isEqualTo("byte[]");
        assertThat(site.isTruncated()).isTrue();
        assertThat(site.stack()).hasSize(2).extracting(HeapFrame::className).containsOnly(name);
        assertThat(site.stack().get(0).lineNumber()).hasValue(12);
        assertThat(site.allocated().bytes().value()).isEqualTo(48);
        assertThat(site.allocated().sampledBytes()).isEqualTo(24);
    }
}
