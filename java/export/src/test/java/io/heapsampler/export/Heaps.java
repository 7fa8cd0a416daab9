// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Snapshots to export, and what came of it. */
final class Heaps {

    /** 2026-01-01T00:00:00Z, in microseconds. */
    static final long START = 1_767_225_600_000_000L;

    static final long SECOND = 1_000_000;

    /** Names that would be more than names in HTML, CSV, a terminal or a line of text. */
    static final String HOSTILE = "=a;b\"</script><script>\r\n\u001b[31m\u2028";

    private Heaps() {}

    static HeapSnapshot read(BlockWriter block) {
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(block.write()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static BlockWriter writer() {
        return new BlockWriter()
                .info(Info.STARTED_AT, START)
                .info(Info.TAKEN_AT, START + 100 * SECOND)
                .info(Info.SAMPLED_MICROS, 90 * SECOND)
                .info(Info.INTERVAL, 4096)
                .info(Info.COLLECTIONS, 5)
                .info(Info.COLLECTOR, 2);
    }

    /**
     * Three sites: an array of bytes with two live objects of two threads, a dead one and others
     * that are forgotten; a cut stack with nothing alive; and one without a stack. Samples are
     * drawn with interval 0 and so stand for themselves.
     */
    static HeapSnapshot small() {
        BlockWriter writer = writer().drop(0, 3);
        int leaf = writer.frame("com.acme.Cart", "com.acme.Cart", "add", "Cart.java", 42, 40 << 16);
        int root = writer.frame("com.acme.Main", "main", 7);
        int hidden = writer.frame("a.A$$Lambda", "a.A$$Lambda/0x1", "run", "", -1, 2);
        int nativeFrame = writer.frame("java.lang.Object", "java.lang.Object", "clone", "", -1, 1);
        int first = writer.stack(false, leaf, root);
        double[] lifetimes = new double[48];
        lifetimes[3] = 1;
        lifetimes[32] = 1;
        int lives = writer.lifetimes(1, lifetimes);
        int bytes = writer.site(first, writer.name("byte[]"), 10, 10, 4, 2000, 90, 2000, lives);
        writer.site(writer.stack(true, nativeFrame, hidden, root), "com.acme.Item[][]", 2, 2, 64);
        writer.site(writer.stack(false), "java.lang.String", 1, 1, 24);
        int one = writer.thread(1, "main");
        int two = writer.thread(22, "pool-1-thread-1");
        long now = START + 100 * SECOND;
        writer.living(bytes, one, 100, now - 3 * SECOND, 0, 0, 1, 2);
        writer.living(bytes, two, 300, now - 40 * SECOND, 0, 0, 1, 4);
        writer.living(bytes, two, 16, now - 1000, 0, 0, 0, 0);
        writer.dead(bytes, one, 200, now - 10 * SECOND, 0, now - 9 * SECOND, now - 8 * SECOND);
        return read(writer);
    }

    static HeapSnapshot empty() {
        return read(writer());
    }

    static HeapSnapshot hostile() {
        BlockWriter writer = writer();
        int frame = writer.frame(HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, 0);
        int site = writer.site(writer.stack(false, frame), HOSTILE, 1, 1, 16);
        writer.living(site, writer.thread(1, HOSTILE), 16, START, 0, 0, 1, 1);
        return read(writer);
    }

    /** Sites of 32 frames, each with ten live objects of three threads. */
    static HeapSnapshot large(int sites) {
        BlockWriter writer = writer();
        Random random = new Random(1);
        int[] frames = new int[4 * sites];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = writer.frame("com.acme.shop.Service" + i / 8, "method" + i % 8, i % 500);
        }
        for (int i = 0; i < 3; i++) {
            writer.thread(i, "worker-" + i);
        }
        for (int i = 0; i < sites; i++) {
            int[] stack = random.ints(32, 0, frames.length).map(k -> frames[k]).toArray();
            int site =
                    writer.site(writer.stack(false, stack), "com.acme.T" + i % 999, 20, 40, 4000);
            for (int k = 0; k < 10; k++) {
                long at = START + random.nextInt((int) (90 * SECOND));
                writer.living(site, k % 3, 8 * (1 + i % 64), at, 4096, 0, 1, k);
            }
        }
        return read(writer);
    }

    /** What the library wrote. */
    static HeapSnapshot golden(String name) throws IOException {
        try (InputStream in =
                HeapSnapshot.class.getResourceAsStream("/io/heapsampler/blocks/" + name)) {
            if (in == null) {
                throw new IOException("no " + name);
            }
            return HeapSnapshot.read(in);
        }
    }

    static byte[] export(ExportFormat format, HeapSnapshot snapshot, ExportOptions options) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            snapshot.writeTo(out, format.with(options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static String text(ExportFormat format, HeapSnapshot snapshot, ExportOptions options) {
        return new String(export(format, snapshot, options), StandardCharsets.UTF_8);
    }

    static String text(ExportFormat format, HeapSnapshot snapshot) {
        return text(format, snapshot, ExportOptions.defaults());
    }
}
