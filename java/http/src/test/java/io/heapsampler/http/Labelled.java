// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.shared.SampleSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** A source whose snapshots have one site with labels, and each live object once. */
final class Labelled implements SampleSource {

    private final IntFunction<HeapSnapshot> snapshots;
    private final AtomicInteger taken = new AtomicInteger();

    /** Takes what makes each snapshot, by its number from 1 on. */
    private Labelled(IntFunction<HeapSnapshot> snapshots) {
        this.snapshots = snapshots;
    }

    /** Live bytes by tenant, each also of the endpoint {@code GET /orders}; 7 without labels. */
    static Labelled byTenant(Map<String, Integer> bytes) {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, 2_000_000);
        int stack = writer.stack(false, writer.frame("com.example.Cart", "add", 42));
        live(writer, stack, 7);
        new TreeMap<>(bytes)
                .forEach(
                        (tenant, size) -> {
                            Map<String, String> set =
                                    Map.of("endpoint", "GET /orders", "tenant", tenant);
                            int site = live(writer, stack, size);
                            writer.labelSite(site, writer.labels(set));
                            writer.example(site, "ab".repeat(16), "cd".repeat(8));
                        });
        writer.labelSite(live(writer, stack, 5), writer.otherLabels());
        HeapSnapshot snapshot = snapshot(writer);
        return new Labelled(number -> snapshot);
    }

    /**
     * One snapshot a second. From one to the next 100 objects of 100 bytes of the tenant acme stay,
     * and 200 of initech.
     */
    static Labelled growing() {
        return new Labelled(
                seconds -> {
                    long now = 1_000_000L * seconds;
                    BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, now);
                    writer.info(Info.SAMPLED_MICROS, now);
                    int stack = writer.stack(false, writer.frame("com.example.Cart", "add", 42));
                    grow(writer, stack, "acme", 100 * seconds);
                    grow(writer, stack, "initech", 200 * seconds);
                    return snapshot(writer);
                });
    }

    private static void grow(BlockWriter writer, int stack, String tenant, int objects) {
        int site = writer.site(stack, "byte[]", objects, objects, 100.0 * objects);
        writer.labelSite(site, writer.labels(Map.of("tenant", tenant)));
        for (int i = 0; i < objects; i++) {
            writer.living(site, -1, 100, 1_000, 0, 0, 1, 1);
        }
    }

    private static HeapSnapshot snapshot(BlockWriter writer) {
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(writer.write()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int live(BlockWriter writer, int stack, int bytes) {
        int site = writer.site(stack, "byte[]", 1, 1, bytes);
        writer.living(site, -1, bytes, 1_000_000, 0, 0, 1, 1);
        return site;
    }

    @Override
    public SamplerState state() {
        return SamplerState.RUNNING;
    }

    @Override
    public HeapSnapshot snapshot(SnapshotOptions options) {
        return snapshots.apply(taken.incrementAndGet());
    }

    @Override
    public HeldBy heldBy(HeldByOptions options) {
        throw new AssertionError("labels need no holders");
    }

    @Override
    public SamplerStatus status() {
        return HeapSampler.status();
    }

    @Override
    public void start() {
        throw new AssertionError("reads change nothing");
    }

    @Override
    public void stop() {
        throw new AssertionError("reads change nothing");
    }

    @Override
    public void setInterval(long bytes) {
        throw new AssertionError("reads change nothing");
    }

    @Override
    public void reset() {
        throw new AssertionError("reads change nothing");
    }
}
