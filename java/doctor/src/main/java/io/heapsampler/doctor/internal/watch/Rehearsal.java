// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

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
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rehearses a diagnosis for the time when memory has run out. It judges a made-up JVM with too
 * little of everything, and so something for each rule, and writes the diagnosis. So all classes
 * and lambdas are loaded before metaspace is full (trap T8).
 */
public final class Rehearsal {

    private static final long MB = 1 << 20;
    static final long BEGIN = 1_000_000;
    private static final int ROUNDS = 15;

    /** As many as growth takes. */
    static final int SNAPSHOTS = 3;

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
        Runnable removal = nobody.add(nobody, finding -> {});
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
    static List<HeapSnapshot> snapshots() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= SNAPSHOTS; i++) {
            try (InputStream in = Rehearsal.class.getResourceAsStream(resource(i))) {
                snapshots.add(HeapSnapshot.read(Objects.requireNonNull(in)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return snapshots;
    }

    /** The name of a file that a test makes anew, {@code RehearsedSnapshotsTest}. */
    static String resource(int number) {
        return "rehearsed-" + number + ".block";
    }
}
