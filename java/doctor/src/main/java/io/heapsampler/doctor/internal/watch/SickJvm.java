// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.internal.shared.BlockBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A made-up JVM with too little of everything, for the rehearsal: something for each rule. */
final class SickJvm {

    private static final long MB = 1 << 20;
    private static final long BEGIN = 1_000_000;
    private static final int ROUNDS = 15;

    /** As many as growth takes. */
    private static final int SNAPSHOTS = 3;

    private final JvmSettings settings;
    private final List<Tick> ticks = new ArrayList<>();
    private final List<GcEvent> collections = new ArrayList<>();
    private final List<JvmEvent> events = new ArrayList<>();
    private final long[] row = new long[Tick.FIELDS];
    private long now = BEGIN;
    private long old = 10 * MB;

    /** With the collector of this JVM, because rules depend on it. */
    SickJvm(JvmSettings jvm) {
        settings =
                new JvmSettings(
                        jvm.feature(),
                        jvm.collector(),
                        128 * MB,
                        32 * MB,
                        -1,
                        jvm.regionSize(),
                        64 * MB,
                        64 * MB,
                        Map.of());
        tick(0);
        for (int i = 1; i <= ROUNDS; i++) {
            now += 1_000;
            tick(i);
            events(i);
            young(300, 6, "Allocation Failure");
            young(20, 6, "GCLocker Initiated GC");
            young(20, 6, "G1 Humongous Allocation");
            young(20, 1, "Allocation Stall");
            full(20, 5L * i, "System.gc()");
            full(20, 5L * i, "System.gc()");
            full(20, 5L * i, "Metadata GC Threshold");
            full(300, 5L * i, "Allocation Failure");
        }
        full(20, 75, "Metadata GC Clear Soft References");
        now += 1_000;
        tick(ROUNDS + 1);
    }

    Timeline timeline() {
        return new Timeline(settings, ticks, collections, events);
    }

    private void tick(int round) {
        int part = Math.min(round, ROUNDS);
        row[0] = now;
        row[1] = 20 * MB * round;
        row[2] = old + 5 * MB;
        row[3] = Math.min(128, 32 + 8L * part) * MB;
        row[4] = old;
        row[5] = (20 + 3L * part) * MB;
        row[6] = row[5] + MB;
        row[7] = 1_000 + 300L * part;
        row[9] = Math.min(62, 5L * part) * MB;
        row[10] = row[9] / MB;
        row[12] = (400 + 30L * part) * MB;
        row[13] = 380 * MB;
        row[19] = -1_000;
        row[20] = -1_000;
        ticks.add(Tick.of(row, 0));
    }

    private void young(long millis, long promoted, String cause) {
        collection(CollectionKind.YOUNG_PAUSE, millis, 30 * MB, old + promoted * MB, cause);
    }

    private void full(long millis, long left, String cause) {
        collection(CollectionKind.FULL_PAUSE, millis, MB, left * MB, cause);
    }

    private void collection(
            CollectionKind kind, long millis, long young, long after, String cause) {
        long before = old;
        old = after;
        collections.add(
                new GcEvent(
                        now,
                        millis,
                        kind,
                        "bean",
                        "action",
                        cause,
                        young + before,
                        MB + after,
                        row[3],
                        MB,
                        before,
                        after,
                        row[5],
                        row[5]));
        now += millis;
    }

    private void events(int round) {
        Map<String, String> phase = Map.of("name", "Reference Processing", "count", "50000");
        String[] callers = {
            "shop.Batch.end:12",
            "java.nio.Bits.reserveMemory:175",
            "sun.rmi.transport.GC$Daemon.run:126"
        };
        event("SystemGC", 0, Map.of(), "java.lang.System.gc:0", callers[round % callers.length]);
        event("GCLocker", 5, Map.of(), "shop.Zip.pack:7");
        event("PromotionFailed", 0, Map.of());
        event("EvacuationFailed", 0, Map.of());
        event("ZAllocationStall", 100, Map.of(), "shop.Cart.fill:12");
        event("MetaspaceAllocationFailure", 0, Map.of(), "shop.Plugins.load:12");
        event("GCPhasePauseLevel1", 200, phase);
        event("GCReferenceStatistics", 0, phase);
    }

    private void event(String type, double millis, Map<String, String> values, String... stack) {
        events.add(new JvmEvent(type, now, millis, values, List.of(stack)));
    }

    /** What a sampler told of it after its last old collection, a second apart. */
    SiteBook sites() throws IOException {
        SiteBook sites = new SiteBook();
        for (HeapSnapshot snapshot : snapshots()) {
            sites.add(snapshot, timeline(), 0);
        }
        return sites;
    }

    List<HeapSnapshot> snapshots() throws IOException {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= SNAPSHOTS; i++) {
            byte[] block = new Block(now - 1_000, i).block();
            snapshots.add(HeapSnapshot.read(new ByteArrayInputStream(block)));
        }
        return snapshots;
    }

    /** A snapshot; see {@code native/doc/snapshot-format.md} for the tags and the entries. */
    private static final class Block extends BlockBuilder {

        Block(long last, int number) {
            long now = last + 1_000L * number;
            long[] info = new long[26];
            info[0] = BEGIN * 1_000;
            info[1] = now * 1_000;
            info[2] = (now - BEGIN) * 1_000;
            info[3] = 512 * 1024;
            info[6] = 1_000;
            info[15] = 25;
            numbers(1, 1, info);
            numbers(2, DropCause.values().length, new long[DropCause.values().length]);
            for (int tag = 4; tag <= 10; tag++) {
                section(tag, 0, new byte[0]);
            }
            ByteBuffer thread = entry(64).putLong(1).putInt(name("main")).putInt(0).putLong(1);
            add(7, thread.putDouble(1).putDouble(0).putDouble(16).putDouble(0).putLong(16));
            int vain = site("byte[]", 480);
            dead(vain, last - 100, 1, last - 20, last + 50);
            living(vain, 4, MB, last - 90, 1, 2);
            int leak = site("shop.Item", 100);
            for (int i = 0; i < 10 * number; i++) {
                living(leak, 2, MB, BEGIN + 50L * i, 1, 3);
            }
            living(site("shop.PluginLoader", 20), 8, MB, BEGIN + 500, 1, 3);
            living(site("java.util.zip.Inflater", 20), 8, MB, BEGIN + 500, 1, 3);
            dead(site("java.lang.ref.WeakReference", 200), last - 500, 0, last - 500, last - 400);
            living(site("int[]", 80), 4, 4 * MB, last - 500, 1, 1);
            living(site("long[]", 40), 8, MB, now - 100, 0, 0);
        }

        private int site(String type, long allocated) {
            int frame = frame("shop.Cart", "shop.Cart", "of" + type, "()V", "Source.java", 12, 0);
            double bytes = (double) allocated * MB;
            return site(stack(false, frame), name(type), 100, 100, 1, bytes, 100, (long) bytes, -1);
        }

        private ByteBuffer sample(int length, int site, long size, long born, int state) {
            ByteBuffer entry = entry(length).putInt(site).putInt(0).putLong(size);
            entry.putLong(born * 1_000).putInt(0).put((byte) 0).put((byte) state);
            return entry.putShort((short) 0);
        }

        private void living(int site, int count, long size, long born, int state, int survived) {
            for (int i = 0; i < count; i++) {
                add(8, sample(40, site, size, born, state).putInt(survived).putInt(0));
            }
        }

        private void dead(int site, long born, int survived, long seen, long found) {
            for (int i = 0; i < 12; i++) {
                ByteBuffer entry = sample(56, site, MB, born, 2).putInt(survived).putInt(0);
                add(9, entry.putLong(seen * 1_000).putLong(found * 1_000));
            }
        }
    }
}
