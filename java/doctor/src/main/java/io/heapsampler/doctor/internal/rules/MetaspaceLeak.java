// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.List;

/** Metaspace grows and its collections free nothing: class loaders are kept. */
final class MetaspaceLeak {

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

    /** A collection that leaves this share of metaspace frees nothing. */
    private static final double KEPT = 0.8;

    /** Two ticks in a row, and collections without a notification: the JVM tried in vain. */
    private static final long LEAST_FULL_MILLIS = 1_000;

    private static final int LEAST_UNHEARD = 3;
    private static final double FULL = 0.97;

    /** An application that loads classes for longer is no longer starting. */
    private static final long LONG_MILLIS = 1_800_000;

    private static final double MOST_OF_RISE = 0.9;

    static final TableRule RULE =
            new TableRule(
                    """
                    metaspace.leak
                    quiet {text} After collections it has not risen 4 times in a row.
                    title?over Metaspace was full and nothing was unloaded: {most}{limit}
                    title Metaspace grows and nothing is unloaded: {most}{limit}
                    metaspace.used?risen {text} After collections it rose by {risen}.
                    metaspace.used!risen {text}
                    metaspace.last-resort The JVM has cleared soft references to find room in \
                    metaspace: its last resort before it fails.
                    metaspace.full?unheard It was full for {metaspace.full}, and the JVM had no \
                    room to report {unheard collection|collections}.
                    metaspace.full!unheard It was full for {metaspace.full}.
                    classes.unloaded It is over: {unloaded class was|classes were} unloaded since. \
                    The holders of the loaders released them too late.
                    sites No class loader was sampled: they are small. A closer look samples more \
                    often for a while.
                    CODE Find the holders of the class loaders, such as a cache keyed by class, a \
                    thread or a listener; jcmd VM.classloader_stats counts them.
                    wrong Classes are unloaded at the next full collection.
                    wrong The application has only started, and loads no more classes later.
                    """,
                    MetaspaceLeak::find);

    private MetaspaceLeak() {}

    private static void find(Situation s, Facts f) {
        List<GcEvent> last = ofMetaspace(s);
        Trend after = Trend.of(last.stream().mapToDouble(GcEvent::metaspaceAfter).toArray());
        // Before it is known whether they are wanted: once metaspace is full, nothing can be
        // linked.
        List<SiteEvidence> makers = SiteFigures.loaders(s.sites());
        List<GcEvent> lastResorts = s.recent(c -> c.cause().equals(Causes.LAST_RESORT));
        boolean isLastResort = !lastResorts.isEmpty();
        ClassFigures classes = ClassFigures.of(s);
        classes.tell(f);
        long limit = s.settings().maxMetaspace();
        double full = limit == Long.MAX_VALUE ? 0 : (double) classes.mostMetaspace() / limit;
        boolean isFull =
                full >= NEARLY_FULL
                        && classes.unloadedShare() < FEW_UNLOADED
                        && (isLastResort || classes.loaded() >= FEW_LOADED);
        boolean isRising =
                isRising(after) && unloadedShare(s, last.get(0).atMillis(), s.to()) < FEW_UNLOADED;
        boolean wasStuck = unheard(s) >= LEAST_UNHEARD && fullMillis(s) >= LEAST_FULL_MILLIS;
        boolean wasFull = wasStuck || lastResorts.stream().anyMatch(c -> wasInVain(s, c));
        boolean isOver = !isFull && !isRising && full >= NEARLY_FULL && wasFull;
        boolean isLong = riseMillis(last) >= LONG_MILLIS;
        boolean isWarning = isFull || isOver || full >= HALF_FULL || isLong;
        if (!f.fires(isFull || isRising || isOver, isWarning)) {
            return;
        }
        if (isFull && (isLastResort || full >= FULL)) {
            f.severity = Severity.CRITICAL;
        }
        f.is("over", isOver).bytes("metaspace.used", classes.mostMetaspace());
        f.bytes("of", limit).text("limit", limit == Long.MAX_VALUE ? "" : f.in(" of {of}"));
        if (isRising) {
            f.window(last.get(0).atMillis(), s.to());
        } else {
            whileFull(s, f);
        }
        if (after.rise() > 0) {
            f.bytes("risen", after.rise());
        }
        if (isLastResort) {
            f.count("metaspace.last-resort", 1);
        }
        if (isOver) {
            f.count("classes.unloaded", classes.unloaded());
        }
        if (isOver && fullMillis(s) > 0) {
            f.span("metaspace.full", (double) fullMillis(s)).count("unheard", unheard(s));
        }
        if (makers.isEmpty()) {
            f.count("sites", 0);
        }
        f.sites(NamedSites.owning(makers, "the metaspace"));
    }

    /** Those that could have freed some, however long ago. */
    private static List<GcEvent> ofMetaspace(Situation s) {
        return s.timeline().collections().stream()
                .filter(c -> c.metaspaceAfter() > 0)
                .filter(c -> c.kind().isOld() || Causes.isMetadata(c.cause()))
                .toList();
    }

    private static boolean isRising(Trend after) {
        return after.count() >= LEAST
                && after.correlation() >= RISING
                && after.rise() >= Math.max(LEAST_RISE * after.last(), LEAST_BYTES)
                && after.recent().rise() > 0;
    }

    /** How long it took to rise by most of what it rose: what was loaded at the start is over. */
    private static long riseMillis(List<GcEvent> last) {
        long most = 0;
        for (GcEvent c : last) {
            most = Math.max(most, c.metaspaceAfter());
        }
        for (GcEvent c : last) {
            long first = last.get(0).metaspaceAfter();
            if (c.metaspaceAfter() - first >= MOST_OF_RISE * (most - first)) {
                return c.atMillis() - last.get(0).atMillis();
            }
        }
        return 0;
    }

    /**
     * Did this last resort give nothing back, before anything was unloaded? That is as good as the
     * end, even if the loaders were let go since.
     */
    private static boolean wasInVain(Situation s, GcEvent c) {
        return c.metaspaceAfter() > 0
                && c.metaspaceAfter() >= KEPT * c.metaspaceBefore()
                && unloadedShare(s, s.from(), c.atMillis()) < FEW_UNLOADED;
    }

    private static long unheard(Situation s) {
        return s.timeline().unseen().missed();
    }

    /** The longest time at a stretch for which it was full of classes that were not unloaded. */
    private static long fullMillis(Situation s) {
        long longest = 0;
        Tick first = null;
        long since = -1;
        for (Tick tick : s.ticks()) {
            first = first == null ? tick : first;
            long loaded = tick.classesLoaded() - first.classesLoaded();
            long unloaded = tick.classesUnloaded() - first.classesUnloaded();
            boolean isFull =
                    tick.metaspaceCommitted() >= FULL * s.settings().maxMetaspace()
                            && loaded >= FEW_LOADED
                            && unloaded < FEW_UNLOADED * loaded;
            since = !isFull ? -1 : since < 0 ? tick.atMillis() : since;
            longest = Math.max(longest, isFull ? tick.atMillis() - since : 0);
        }
        return longest;
    }

    private static double unloadedShare(Situation s, long from, long to) {
        return ClassFigures.between(s, from, to).unloadedShare();
    }

    /** The time of the finding is from the first tick at which it was nearly full to the last. */
    private static void whileFull(Situation s, Facts f) {
        long first = -1;
        for (Tick tick : s.ticks()) {
            if (tick.metaspaceCommitted() >= NEARLY_FULL * s.settings().maxMetaspace()) {
                first = first < 0 ? tick.atMillis() : first;
                f.window(first, tick.atMillis());
            }
        }
    }
}
