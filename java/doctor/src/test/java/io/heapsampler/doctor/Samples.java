// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Timelines, ticks and collections for tests of the watching half. */
public final class Samples {

    public static final long MIB = 1 << 20;

    private Samples() {}

    public static JvmSettings settings() {
        return new JvmSettings(
                17,
                GarbageCollector.G1,
                256 * MIB,
                64 * MIB,
                -1,
                MIB,
                Long.MAX_VALUE,
                256 * MIB,
                Map.of("MaxTenuringThreshold", "15", "AlwaysPreTouch", "false"));
    }

    /** A tick in which each figure is another one. */
    public static Tick tick(long atMillis) {
        return new Tick(
                atMillis,
                atMillis * 1000,
                12 * MIB,
                64 * MIB,
                7 * MIB,
                5 * MIB,
                6 * MIB,
                1_000 + atMillis,
                17,
                3 * MIB,
                4,
                200 * MIB,
                150 * MIB,
                atMillis / 2.0,
                20 * MIB,
                -1,
                -1,
                9 * MIB);
    }

    /** The tick as a watch adds it to its history. */
    public static long[] row(Tick tick) {
        return new long[] {
            tick.atMillis(),
            tick.allocated(),
            tick.heapUsed(),
            tick.heapCommitted(),
            tick.oldUsed(),
            tick.metaspaceUsed(),
            tick.metaspaceCommitted(),
            tick.classesLoaded(),
            tick.classesUnloaded(),
            tick.directUsed(),
            tick.directCount(),
            tick.resident(),
            tick.accounted(),
            Math.round(tick.safepointSyncMillis() * Tick.MICROS),
            tick.residentFile(),
            Math.round(tick.gcCpuMillis() * Tick.MICROS),
            Math.round(tick.gcWaitMillis() * Tick.MICROS),
            tick.unaccounted()
        };
    }

    /** One tick each second. */
    public static List<Tick> ticks(long fromMillis, long toMillis) {
        List<Tick> all = new ArrayList<>();
        for (long at = fromMillis; at <= toMillis; at += 1_000) {
            all.add(tick(at));
        }
        return all;
    }

    public static GcEvent collection(
            long atMillis, double millis, CollectionKind kind, String cause) {
        return new GcEvent(
                atMillis,
                millis,
                kind,
                "G1 Young Generation",
                "end of minor GC",
                cause,
                60 * MIB,
                20 * MIB,
                64 * MIB,
                4 * MIB,
                15 * MIB,
                16 * MIB,
                5 * MIB);
    }

    public static GcEvent pause(long atMillis, double millis) {
        return collection(atMillis, millis, CollectionKind.YOUNG_PAUSE, "G1 Evacuation Pause");
    }

    public static Timeline timeline(List<Tick> ticks, List<GcEvent> collections) {
        return new Timeline(settings(), ticks, collections, List.of());
    }

    public static Finding finding(String id, Severity severity) {
        return new Finding(
                id,
                severity,
                "title of " + id,
                java.time.Instant.ofEpochMilli(1),
                java.time.Instant.ofEpochMilli(2),
                "G1, JDK 17",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                null,
                null);
    }
}
