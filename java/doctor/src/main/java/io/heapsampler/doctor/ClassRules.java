// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The rules about metaspace, and the classes that were loaded and unloaded in a time. */
final class ClassRules {

    private static final long MANY = 1000;
    private static final double MOSTLY = 0.5;

    /** Fewer that were loaded in all that is remembered fill no metaspace. */
    private static final long FEW_LOADED = 100;

    private static final int LEAST = 4;
    private static final double RISING = 0.7;
    private static final double LEAST_RISE = 0.1;

    /** Any application loads this many now and then. */
    private static final long LEAST_BYTES = 4 << 20;

    private static final double NEARLY_FULL = 0.9;
    private static final double HALF_FULL = 0.5;
    private static final double FEW_UNLOADED = 0.3; // If more are unloaded, loaders are not kept.

    private static final double FULL = 0.97;

    /** Applications load half of a limit while they start, mostly within this time. */
    private static final long START_MILLIS = 30_000;

    /** An application that loads classes for longer is no longer starting. */
    private static final long LONG_MILLIS = 1_800_000;

    private static final double MOST_OF_RISE = 0.9;

    /**
     * Classes in a time.
     *
     * @param metaspace metaspace in use at the end, in bytes
     * @param mostMetaspace metaspace committed at most, to which the limit applies; with many
     *     loaders that is far more than is in use
     */
    record Figures(long loaded, long unloaded, long metaspace, long mostMetaspace) {

        /** Of the recent ticks, and adds them as facts, with a sentence: {@code text}. */
        static Figures of(Situation s, Facts f) {
            Figures it = of(s.ticks());
            f.count("classes", it.loaded).count("unloaded", it.unloaded);
            f.bytes("metaspace", it.metaspace).bytes("most", it.mostMetaspace);
            f.text("text", f.in(TableRule.note("classes")));
            return it;
        }

        static Figures of(List<Tick> ticks) {
            if (ticks.isEmpty()) {
                return new Figures(0, 0, 0, 0);
            }
            Tick first = ticks.get(0);
            Tick last = ticks.get(ticks.size() - 1);
            long most = ticks.stream().mapToLong(Tick::metaspaceCommitted).max().orElse(0);
            long loaded = last.classesLoaded() - first.classesLoaded();
            long unloaded = last.classesUnloaded() - first.classesUnloaded();
            return new Figures(loaded, unloaded, last.metaspaceUsed(), most);
        }

        /** Returns a value from 0 to 1, or more if older classes were also unloaded. */
        double unloadedShare() {
            return loaded <= 0 ? 0 : (double) unloaded / loaded;
        }
    }

    /** Metaspace grows and its collections free nothing: class loaders are kept. */
    static void leak(Situation s, Facts f) {
        List<Used> last = afterUnloading(s);
        Trend after =
                Trend.at(
                        last.stream().mapToDouble(Used::at).toArray(),
                        last.stream().mapToDouble(Used::bytes).toArray());
        // Before it is known whether they are wanted: once metaspace is full, nothing can be
        // linked.
        NamedSites makers = NamedSites.loaders(s);
        boolean isLastResort = !s.recent(c -> c.cause().equals(Causes.LAST_RESORT)).isEmpty();
        Figures classes = Figures.of(s, f);
        long limit = s.settings().maxMetaspace();
        double full = limit == Long.MAX_VALUE ? 0 : (double) classes.mostMetaspace() / limit;
        boolean isFull =
                full >= NEARLY_FULL
                        && classes.unloadedShare() < FEW_UNLOADED
                        && (isLastResort || classes.loaded() >= FEW_LOADED);
        long first = last.isEmpty() ? s.to() : last.get(0).at();
        List<Tick> since = new ArrayList<>(s.timeline().ticks());
        since.removeIf(tick -> tick.atMillis() < first);
        boolean isRising = isRising(after) && Figures.of(since).unloadedShare() < FEW_UNLOADED;
        boolean isLong = riseMillis(last) >= LONG_MILLIS;
        boolean isHalf = full >= HALF_FULL && goesOn(s, since);
        if (!f.fires(isFull || isRising, isFull || isHalf || isLong)) {
            return;
        }
        if (isFull && (isLastResort || full >= FULL)) {
            f.severity = Severity.CRITICAL;
        }
        f.bytes("metaspace.used", classes.mostMetaspace())
                .bytes("risen", Math.max(after.rise(), 0));
        f.bytes("of", limit).text("limit", limit == Long.MAX_VALUE ? "" : f.in(" of {of}"));
        f.count("sites", makers.sites().size()).sites(makers);
        if (isLastResort) {
            f.count("metaspace.last-resort", 1);
        }
        // While it is nearly full, or rises.
        List<Tick> nearly =
                s.ticks().stream()
                        .filter(tick -> tick.metaspaceCommitted() >= NEARLY_FULL * limit)
                        .toList();
        if (isRising) {
            f.window(first, s.to());
        } else if (!nearly.isEmpty()) {
            f.window(nearly.get(0).atMillis(), nearly.get(nearly.size() - 1).atMillis());
        }
    }

    /** The bytes in use at a time. */
    private record Used(long at, long bytes) {}

    /**
     * After each collection that could have unloaded classes, however long ago, oldest first. G1
     * does so while it marks the heap: then the next tick shows it. Where markings are not known,
     * the next collection for metaspace is late enough.
     */
    private static List<Used> afterUnloading(Situation s) {
        List<Long> markings = s.isG1() ? LiveSet.markings(s.timeline()) : List.of();
        List<Used> all = new ArrayList<>();
        for (GcEvent c : s.timeline().collections()) {
            boolean isLate = markings.isEmpty() && Causes.isMetadata(c.cause());
            if ((c.kind().isOld() || isLate) && c.metaspaceAfter() > 0) {
                all.add(new Used(c.atMillis(), c.metaspaceAfter()));
            }
        }
        int next = 0;
        for (Tick tick : s.timeline().ticks()) {
            int first = next;
            while (next < markings.size() && markings.get(next) < tick.atMillis()) {
                next++;
            }
            if (next > first && tick.metaspaceUsed() > 0) {
                all.add(new Used(tick.atMillis(), tick.metaspaceUsed()));
            }
        }
        all.sort(Comparator.comparingLong(Used::at));
        return all;
    }

    private static boolean isRising(Trend after) {
        return after.count() >= LEAST
                && after.correlation() >= RISING
                && after.rise() >= Math.max(LEAST_RISE * after.last(), LEAST_BYTES)
                && after.recent().rise() >= LiveTrend.GOES_ON * after.rise() / 2;
    }

    /** Does the last quarter of the time still add its part, and is the start-up over? */
    private static boolean goesOn(Situation s, List<Tick> since) {
        if (since.isEmpty() || s.to() - s.timeline().ticks().get(0).atMillis() < START_MILLIS) {
            return false;
        }
        Tick first = since.get(0);
        Tick before = first;
        Tick last = since.get(since.size() - 1);
        for (Tick tick : since) {
            boolean isLate = tick.atMillis() > s.to() - (s.to() - first.atMillis()) / 4;
            before = isLate ? before : tick;
        }
        double rise = (double) last.metaspaceCommitted() - first.metaspaceCommitted();
        double recent = (double) last.metaspaceCommitted() - before.metaspaceCommitted();
        return rise > 0 && recent >= LiveTrend.GOES_ON * rise / 4;
    }

    /** How long it took to rise by most of what it rose: what was loaded at the start is over. */
    private static long riseMillis(List<Used> last) {
        long most = last.stream().mapToLong(Used::bytes).max().orElse(0);
        for (Used each : last) {
            long first = last.get(0).bytes();
            if (each.bytes() - first >= MOST_OF_RISE * (most - first)) {
                return each.at() - last.get(0).at();
            }
        }
        return 0;
    }

    /** Classes are loaded and unloaded again all the time, as those of scripts are: no leak. */
    static void churn(Situation s, Facts f) {
        Figures it = Figures.of(s, f);
        if (f.fires(it.unloaded >= MANY && it.unloadedShare() >= MOSTLY, false)) {
            f.share("share", Math.min(it.unloadedShare(), 1));
            f.count("classes.loaded", it.loaded).count("classes.unloaded", it.unloaded);
            f.sites(NamedSites.loaders(s));
        }
    }
}
