// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.internal.report.JsonReport;
import io.heapsampler.doctor.internal.report.TextReport;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.rules.Rules;
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
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Rehearses a diagnosis for the time when memory has run out. It judges a made-up JVM with too
 * little of everything, and so something for each rule, and writes the diagnosis. So all classes
 * and lambdas are loaded before metaspace is full (trap T8).
 */
public final class Rehearsal {

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
    Rehearsal(JvmSettings jvm) {
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
            collection(CollectionKind.YOUNG_PAUSE, 300, 6 * MB + old, "Allocation Failure");
            collection(CollectionKind.YOUNG_PAUSE, 20, 6 * MB + old, "GCLocker Initiated GC");
            collection(CollectionKind.YOUNG_PAUSE, 20, 6 * MB + old, "G1 Humongous Allocation");
            collection(CollectionKind.YOUNG_PAUSE, 20, MB + old, "Allocation Stall");
            long left = 5 * MB * i;
            collection(CollectionKind.FULL_PAUSE, 20, left, "System.gc()");
            collection(CollectionKind.FULL_PAUSE, 20, left, "System.gc()");
            collection(CollectionKind.FULL_PAUSE, 20, left, "Metadata GC Threshold");
            collection(CollectionKind.FULL_PAUSE, 300, left, "Allocation Failure");
        }
        collection(CollectionKind.FULL_PAUSE, 20, 75 * MB, "Metadata GC Clear Soft References");
        now += 1_000;
        tick(ROUNDS + 1);
    }

    /** Rehearses with what is known of this JVM; returns the length of what was written. */
    public static long run(JvmSettings jvm, SiteBook sites, Judgement real) {
        Rehearsal sick = new Rehearsal(jvm);
        SiteBook sickSites = sick.sites();
        for (SiteBook each : List.of(sites, sickSites)) {
            each.sites();
            each.mostGrowing();
        }
        long length = written(real);
        length += written(Rules.judge(sick.timeline(), sickSites, real.slo().slo()));
        sick.events.clear();
        return length + written(Rules.judge(sick.timeline(), sickSites, real.slo().slo()));
    }

    private static long written(Judgement judged) {
        Findings nobody = new Findings();
        Runnable removal = nobody.add(finding -> {});
        nobody.update(judged, 0);
        removal.run();
        return (long) TextReport.of(judged).length() + JsonReport.of(judged).length();
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
        row[11] = (400 + 30L * part) * MB;
        row[12] = 380 * MB;
        row[15] = -1_000;
        row[16] = -1_000;
        row[17] = (20 + 30L * part) * MB;
        ticks.add(Tick.of(row));
    }

    private void collection(CollectionKind kind, long millis, long after, String cause) {
        long young = kind == CollectionKind.YOUNG_PAUSE ? 30 * MB : MB;
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
        Map<String, String> phase = Map.of("name", "Reference Processing");
        String rmi = "sun.rmi.transport.GC$Daemon.run:126";
        String[] callers = {"shop.Batch.end:12", "java.nio.Bits.reserveMemory:175", rmi};
        event("SystemGC", 0, Map.of(), "java.lang.System.gc:0", callers[round % 3]);
        event("GCLocker", 5, Map.of("thread", "zip"));
        event("PromotionFailed", 0, Map.of());
        event("EvacuationFailed", 0, Map.of());
        event("ZAllocationStall", 100, Map.of("thread", "main"));
        event("GCPhasePauseLevel1", 200, phase);
    }

    private void event(String type, double millis, Map<String, String> values, String... stack) {
        events.add(new JvmEvent(type, now, millis, values, List.of(stack)));
    }

    SiteBook sites() {
        SiteBook sites = new SiteBook();
        for (HeapSnapshot snapshot : snapshots()) {
            sites.add(snapshot, timeline(), 0);
        }
        return sites;
    }

    /** What a sampler reported of it after its last old collection, a second apart. */
    List<HeapSnapshot> snapshots() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        try {
            for (int i = 1; i <= SNAPSHOTS; i++) {
                byte[] block = new Block(now - 1_000, i).block();
                snapshots.add(HeapSnapshot.read(new ByteArrayInputStream(block)));
            }
            return snapshots;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A snapshot; see {@code native/doc/snapshot-format.md} for the tags and the entries. */
    private static final class Block extends BlockBuilder {

        private static final int INFO = 26;

        Block(long last, int number) {
            long now = last + 1_000L * number;
            long[] info = {BEGIN * 1_000, now * 1_000, (now - BEGIN) * 1_000, 512 * 1024};
            numbers(1, 1, Arrays.copyOf(info, INFO));
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

        private int site(String type, double megabytes) {
            int frame = frame("shop.Cart", "shop.Cart", "of" + type, "()V", "Source.java", 12, 0);
            double bytes = megabytes * MB;
            return site(stack(false, frame), name(type), 100, 100, 1, bytes, 100, (long) bytes, -1);
        }

        private void living(int site, int count, long size, long born, int state, int survived) {
            for (int i = 0; i < count; i++) {
                sample(site, size, born, state, survived);
            }
        }

        private void dead(int site, long born, int survived, long seen, long found) {
            for (int i = 0; i < 12; i++) {
                sample(site, MB, born, 2, survived, seen, found);
            }
        }

        private void sample(
                int site, long size, long born, int state, int survived, long... death) {
            ByteBuffer entry = entry(56).putInt(site).putInt(0).putLong(size);
            entry.putLong(born * 1_000).putInt(0).put((byte) 0).put((byte) state);
            entry.putShort((short) 0).putInt(survived).putInt(0);
            for (long at : death) {
                entry.putLong(at * 1_000);
            }
            add(death.length == 0 ? 8 : 9, entry);
        }
    }
}
