// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockSections;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.SnapshotDecoder;
import io.heapsampler.internal.holders.HeldAddition;
import io.heapsampler.internal.holders.HeldBlockWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Snapshots with holders. Each live sample of 1,000 bytes stands for itself. */
final class HeldHeaps {

    private static final String TABLE = "java.util.HashMap.table -> java.util.HashMap$Node[]";
    private static final String NODE = "[] -> java.util.HashMap$Node";

    private HeldHeaps() {}

    /**
     * Six byte arrays: three in a map of a static field, allocated at two lines, one that is a
     * local of a thread, one thread-local by a hostile name, and one that only weak references
     * hold.
     */
    static HeapSnapshot held(String hostile) {
        BlockWriter writer = Heaps.writer().info(Info.BUDGET, 100);
        int thread = writer.thread(7, "main");
        int first = site(writer, "put", 12);
        int second = site(writer, "load", 40);
        for (int i = 0; i < 6; i++) {
            long at = Heaps.START + i * Heaps.SECOND;
            writer.living(i < 2 ? first : second, thread, 1_000, at, 0, 0, 1, 2);
        }
        HeldBlockWriter held = new HeldBlockWriter();
        String root = "static com.acme.Shop.open -> java.util.HashMap";
        for (int i = 0; i < 3; i++) {
            held.path(i, root, TABLE, NODE, "java.util.HashMap$Node.value -> byte[]");
        }
        held.path(3, "local com.acme.Shop.run 7 -> byte[]");
        held.path(4, "static com.acme.Shop." + hostile + " -> byte[]");
        held.unresolved(5, 6);
        HeldAddition addition = new HeldAddition(0, "all live samples", Map.of(7L, "main"));
        byte[] whole =
                BlockSections.with(
                        writer.write(), SnapshotDecoder.TAG_HELD, 1, addition.after(held.write()));
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(whole));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int site(BlockWriter writer, String method, int line) {
        int frame = writer.frame("com.acme.Shop", method, line);
        return writer.site(writer.stack(false, frame), "byte[]", 3, 3, 3_000);
    }
}
