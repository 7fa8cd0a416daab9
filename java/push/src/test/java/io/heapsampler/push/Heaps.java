// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Snapshots of heaps that never were. */
final class Heaps {

    /** 2026-01-01T00:00:00Z. */
    static final Instant START = Instant.ofEpochSecond(1_767_225_600L);

    /** The ids of traces are this one, with another last byte for each snapshot. */
    static final String TRACE = "ab".repeat(16);

    private Heaps() {}

    /** A running source with the given snapshots. */
    static SampleSource running(Supplier<HeapSnapshot> snapshots) {
        return source(() -> SamplerState.RUNNING, snapshots);
    }

    static SampleSource source(Supplier<SamplerState> state, Supplier<HeapSnapshot> snapshots) {
        return new SampleSource() {
            @Override
            public SamplerState state() {
                return state.get();
            }

            @Override
            public HeapSnapshot snapshot(SnapshotOptions options) {
                return snapshots.get();
            }

            @Override
            public HeldBy heldBy(HeldByOptions options) {
                throw new AssertionError("pushers need no holders");
            }

            @Override
            public SamplerStatus status() {
                throw new AssertionError("pushers need no status");
            }

            @Override
            public void start() {
                throw new AssertionError("pushers change nothing");
            }

            @Override
            public void stop() {
                throw new AssertionError("pushers change nothing");
            }

            @Override
            public void setInterval(long bytes) {
                throw new AssertionError("pushers change nothing");
            }

            @Override
            public void reset() {
                throw new AssertionError("pushers change nothing");
            }
        };
    }

    /** One site with the given allocated and live bytes. */
    static HeapSnapshot at(Instant start, int seconds, long allocated, long live) {
        BlockWriter writer = writer(start, seconds);
        int frame = writer.frame("com.acme.Cart", "add", 42);
        int site = writer.site(writer.stack(false, frame), "byte[]", 4, allocated / 8, allocated);
        if (live > 0) {
            writer.living(site, writer.thread(7, "secret-thread"), live, micros(start), 0, 0, 1, 1);
        }
        return read(writer);
    }

    static HeapSnapshot at(int seconds, long allocated, long live) {
        return at(START, seconds, allocated, live);
    }

    /** One site with live bytes for two endpoints: each gets a thousand bytes a second. */
    static HeapSnapshot labelled(int seconds) {
        BlockWriter writer = writer(START, seconds);
        int stack = writer.stack(false, writer.frame("com.acme.Cart", "add", 42));
        for (String endpoint : List.of("GET /orders", "GET /carts")) {
            int site = writer.site(stack, "byte[]", 4, 1, 1000 * seconds);
            writer.living(site, -1, 64, micros(START), 0, 0, 1, 1);
            Map<String, String> set = Map.of("http.route", endpoint, "tenant", "initech");
            writer.labelSite(site, writer.labels(set));
            // A trace of this time: a push has links to no earlier ones.
            writer.example(site, TRACE.substring(2) + Integer.toHexString(seconds), "b7".repeat(8));
        }
        return read(writer);
    }

    /** Names that do not compress: about 25 bytes for each site. */
    static HeapSnapshot large(int sites, int seed) {
        BlockWriter writer = writer(START, 100);
        Random random = new Random(seed);
        for (int i = 0; i < sites; i++) {
            String name = Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
            int frame = writer.frame("com.acme.C", name, 1);
            writer.site(writer.stack(false, frame), "byte[]", 4, 100, 8_000 + seed);
        }
        return read(writer);
    }

    private static BlockWriter writer(Instant start, int seconds) {
        return new BlockWriter()
                .info(Info.STARTED_AT, micros(start))
                .info(Info.TAKEN_AT, micros(start.plusSeconds(seconds)))
                .info(Info.SAMPLED_MICROS, seconds * 1_000_000L)
                .info(Info.INTERVAL, 4096)
                .info(Info.COLLECTIONS, 5)
                .info(Info.COLLECTOR, 2);
    }

    private static long micros(Instant time) {
        return time.getEpochSecond() * 1_000_000;
    }

    private static HeapSnapshot read(BlockWriter block) {
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(block.write()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
