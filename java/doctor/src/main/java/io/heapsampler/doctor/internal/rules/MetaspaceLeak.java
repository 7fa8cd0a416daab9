// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.ClassLoaders;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.BeanCounts;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.List;

/** Metaspace grows and its collections free nothing: class loaders are kept. */
public final class MetaspaceLeak implements Rule {

    /** Fewer that were loaded in all that is remembered fill no metaspace. */
    private static final long FEW_LOADED = 100;

    private static final int LEAST = 4;
    private static final double RISING = 0.7;
    private static final double LEAST_RISE = 0.1;

    /** Any application loads this many now and then. */
    private static final long LEAST_BYTES = 4 << 20;

    private static final double NEARLY_FULL = 0.9;
    private static final double HALF_FULL = 0.5;

    /** If more are unloaded, loaders are not kept. */
    private static final double FEW_UNLOADED = 0.3;

    /** A collection that leaves this share of metaspace frees nothing. */
    private static final double KEPT = 0.8;

    /** Two ticks in a row, and collections without a notification: the JVM tried in vain. */
    private static final long LEAST_FULL_MILLIS = 1_000;

    private static final int LEAST_UNHEARD = 3;
    private static final double FULL = 0.97;

    /** An application that loads classes for longer is no longer starting. */
    private static final long LONG_MILLIS = 1_800_000;

    @Override
    public String id() {
        return "metaspace.leak";
    }

    @Override
    public Verdict judge(Situation s) {
        List<GcEvent> last = ofMetaspace(s);
        Trend after = Trend.of(last.stream().mapToDouble(GcEvent::metaspaceAfter).toArray());
        // Before it is known whether they are wanted: once metaspace is full, nothing can be
        // linked.
        List<SiteEvidence> makers = ClassLoaders.makers(s.sites());
        List<CallerEvidence> definers = ClassDefiners.of(s);
        ClassFigures classes = ClassFigures.of(s);
        long limit = s.settings().maxMetaspace();
        double full = limit == Long.MAX_VALUE ? 0 : (double) classes.mostMetaspace() / limit;
        boolean isLastResort = !s.recent(c -> c.cause().equals(Causes.LAST_RESORT)).isEmpty();
        boolean isFull =
                full >= NEARLY_FULL
                        && classes.unloadedShare() < FEW_UNLOADED
                        && (isLastResort || classes.loaded() >= FEW_LOADED);
        boolean isRising =
                isRising(after) && unloadedShare(s, last.get(0).atMillis(), s.to()) < FEW_UNLOADED;
        boolean wasFull =
                !isFull && !isRising && full >= NEARLY_FULL && (wasInVain(s) || wasStuck(s));
        if (!isFull && !isRising && !wasFull) {
            return Verdict.quiet(
                    this,
                    classes.text()
                            + " After collections it has not risen "
                            + LEAST
                            + " times in a row.");
        }
        long span = last.isEmpty() ? 0 : s.to() - last.get(0).atMillis();
        Severity severity = wasFull ? Severity.WARNING : severity(isFull, isLastResort, full, span);
        FindingBuilder finding =
                new FindingBuilder(this, s, severity, title(classes, limit, wasFull))
                        .callers(definers);
        if (isRising) {
            finding.window(last.get(0).atMillis(), s.to());
        } else {
            whileFull(s, finding);
        }
        return told(s, finding, classes, after, isLastResort, wasFull, makers);
    }

    /** Those that could have freed some, however long ago. */
    private static List<GcEvent> ofMetaspace(Situation s) {
        return s.timeline().collections().stream()
                .filter(
                        c ->
                                c.metaspaceAfter() > 0
                                        && (c.kind().isOld() || Causes.isMetadata(c.cause())))
                .toList();
    }

    private static boolean isRising(Trend after) {
        return after.count() >= LEAST
                && after.correlation() >= RISING
                && after.rise() >= Math.max(LEAST_RISE * after.last(), LEAST_BYTES)
                && after.recent().rise() > 0;
    }

    /**
     * Was there a last resort that gave nothing back, before anything was unloaded? That is as good
     * as the end, even if the loaders were let go since.
     */
    private static boolean wasInVain(Situation s) {
        for (GcEvent c : s.recent()) {
            boolean isInVain =
                    c.cause().equals(Causes.LAST_RESORT)
                            && c.metaspaceAfter() > 0
                            && c.metaspaceAfter() >= KEPT * c.metaspaceBefore();
            if (isInVain && unloadedShare(s, s.from(), c.atMillis()) < FEW_UNLOADED) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it was full for a while, with collections that were not reported. */
    private static boolean wasStuck(Situation s) {
        return unheard(s) >= LEAST_UNHEARD && fullMillis(s) >= LEAST_FULL_MILLIS;
    }

    private static long unheard(Situation s) {
        long sum = 0;
        for (BeanCounts bean : s.timeline().beans()) {
            sum += bean.missed();
        }
        return sum;
    }

    /** The longest time at a stretch for which it was full of classes that were not unloaded. */
    private static long fullMillis(Situation s) {
        List<Tick> ticks = s.ticks();
        long longest = 0;
        long since = -1;
        for (Tick tick : ticks) {
            long loaded = tick.classesLoaded() - ticks.get(0).classesLoaded();
            long unloaded = tick.classesUnloaded() - ticks.get(0).classesUnloaded();
            boolean isFull =
                    tick.metaspaceCommitted() >= FULL * s.settings().maxMetaspace()
                            && loaded >= FEW_LOADED
                            && unloaded < FEW_UNLOADED * loaded;
            since = !isFull ? -1 : since < 0 ? tick.atMillis() : since;
            longest = isFull ? Math.max(longest, tick.atMillis() - since) : longest;
        }
        return longest;
    }

    private static double unloadedShare(Situation s, long from, long to) {
        return ClassFigures.between(s, from, to).unloadedShare();
    }

    private static Severity severity(boolean isFull, boolean isLastResort, double full, long span) {
        if (isFull && (isLastResort || full >= FULL)) {
            return Severity.CRITICAL;
        }
        return isFull || full >= HALF_FULL || span >= LONG_MILLIS
                ? Severity.WARNING
                : Severity.INFO;
    }

    private static String title(ClassFigures classes, long limit, boolean wasFull) {
        return (wasFull
                        ? "Metaspace was full and nothing was unloaded: "
                        : "Metaspace grows and nothing is unloaded: ")
                + Text.bytes(classes.mostMetaspace())
                + (limit == Long.MAX_VALUE ? "" : " of " + Text.bytes(limit));
    }

    /** The time of the finding is from the first look at which it was nearly full to the last. */
    private static void whileFull(Situation s, FindingBuilder finding) {
        long first = -1;
        for (Tick tick : s.ticks()) {
            if (tick.metaspaceCommitted() >= NEARLY_FULL * s.settings().maxMetaspace()) {
                first = first < 0 ? tick.atMillis() : first;
                finding.window(first, tick.atMillis());
            }
        }
    }

    private static void tellFull(Situation s, FindingBuilder finding) {
        long millis = fullMillis(s);
        if (millis > 0) {
            finding.evidence(
                    "metaspace.full",
                    millis,
                    "ms",
                    "It was full for "
                            + Text.span(millis)
                            + (unheard(s) == 0
                                    ? "."
                                    : ", and the JVM had no room to report "
                                            + Text.count(unheard(s), "collection", "collections")
                                            + "."));
        }
    }

    private static Verdict told(
            Situation s,
            FindingBuilder finding,
            ClassFigures classes,
            Trend after,
            boolean isLastResort,
            boolean wasFull,
            List<SiteEvidence> makers) {
        finding.evidence(
                "metaspace.used",
                classes.mostMetaspace(),
                "bytes",
                classes.text()
                        + (after.count() < 2
                                ? ""
                                : " After collections it rose by "
                                        + Text.bytes(after.rise())
                                        + "."));
        if (isLastResort) {
            finding.evidence(
                    "metaspace.last-resort",
                    1L,
                    "count",
                    "The JVM has cleared soft references to find room in metaspace: its last"
                            + " resort before it fails.");
        }
        if (wasFull) {
            tellFull(s, finding);
            finding.evidence(
                    "classes.unloaded",
                    classes.unloaded(),
                    "count",
                    "It is over: "
                            + Text.count(classes.unloaded(), "class was", "classes were")
                            + " unloaded since. The holders of the loaders released them too"
                            + " late.");
        }
        if (makers.isEmpty()) {
            finding.evidence(
                    "sites",
                    0L,
                    "count",
                    "No class loader was sampled: they are small. A closer look samples more"
                            + " often for a while.");
        }
        return finding.sites(NamedSites.owning(makers, "the metaspace"))
                .advice(
                        Advice.Kind.CODE,
                        "Find the holders of the class loaders, such as a cache keyed by class, a"
                                + " thread or a listener; jcmd VM.classloader_stats counts them.")
                .refutedBy("Classes are unloaded at the next full collection.")
                .refutedBy("The application has only started, and loads no more classes later.")
                .fired();
    }
}
