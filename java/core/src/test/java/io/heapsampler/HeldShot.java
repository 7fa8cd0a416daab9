// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.BlockSections;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.SnapshotDecoder;
import io.heapsampler.internal.holders.HeldAddition;
import io.heapsampler.internal.holders.HeldBlockWriter;
import java.util.Map;

/** Builds snapshots of live samples with holders. Each sample of 1,000 bytes was certain. */
final class HeldShot {

    static final String MAP = "java.util.HashMap";

    /** Steps from a HashMap to a value in it. */
    static final String TABLE = "java.util.HashMap.table -> java.util.HashMap$Node[]";

    static final String NODE = "[] -> java.util.HashMap$Node";

    final BlockWriter writer = new BlockWriter().info(Info.BUDGET, 100);
    final HeldBlockWriter held = new HeldBlockWriter();
    private final int thread;
    private int sites;
    private int samples;

    HeldShot() {
        thread = writer.thread(7, "main");
    }

    static String value(String type) {
        return "java.util.HashMap$Node.value -> " + type;
    }

    /** Adds a site. */
    int site(String className, String method, int line) {
        int frame = writer.frame("com.acme.Shop", method, line);
        writer.site(writer.stack(false, frame), className, 1, 1, 1000);
        return sites++;
    }

    /** Adds live samples of 1,000 bytes, each of which stands for itself. */
    HeldShot live(int site, int count) {
        return live(site, count, 1_000, 0);
    }

    HeldShot live(int site, int count, long size, int interval) {
        for (int i = 0; i < count; i++) {
            writer.living(site, thread, size, 1_000 + samples, interval, 0, 1, 2);
            samples++;
        }
        return this;
    }

    int samples() {
        return samples;
    }

    byte[] block() {
        return writer.write();
    }

    HeapSnapshot snapshot() {
        return snapshot(new HeldAddition(0, "all live samples", Map.of()));
    }

    HeapSnapshot snapshot(HeldAddition addition) {
        return HeapSnapshot.decode(
                BlockSections.with(
                        block(), SnapshotDecoder.TAG_HELD, 1, addition.after(held.write())));
    }

    HeldBy heldBy() {
        return snapshot().heldBy().orElseThrow();
    }

    HeldBy heldBy(Map<Long, String> threads) {
        return snapshot(new HeldAddition(0, "", threads)).heldBy().orElseThrow();
    }

    /** Returns the tree as text, a holder a line, with the bytes of each. */
    static String tree(HeldBy answer) {
        StringBuilder text = new StringBuilder();
        answer.holders().forEach(each -> add(text, "", each));
        return text.toString();
    }

    private static void add(StringBuilder text, String indent, Holder holder) {
        text.append(indent)
                .append(holder.text())
                .append(" = ")
                .append(Math.round(holder.held().bytes().value()))
                .append('\n');
        holder.children().forEach(each -> add(text, indent + "  ", each));
    }
}
