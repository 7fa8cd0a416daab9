// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.List;

/** The rules that count the collections and events by which collectors report their trouble. */
final class CollectorRules {

    static final int EVENTS = 3; // How many events it takes.
    static final int MANY_PER_MINUTE = 10;
    private static final double MUCH_HUMONGOUS = 0.2;

    /** Larger regions there are not, up to JDK 17; 512 MiB later. */
    private static final long GREATEST_REGION = 32L << 20;

    /** This many failed evacuations cost something, even without a full pause. */
    private static final int MANY_FAILED = 10;

    /** A young collection that frees less has failed to. */
    private static final double LITTLE_FREED = 0.05;

    /** Short critical sections cost a few per cent of the time at most, and do no harm. */
    private static final double MUCH_WAITED = 0.1;

    /** Of the old generation: the least growth without promotion that counts. */
    private static final double FILLED = 0.1;

    /** Of the young generation at the collection before; its size changes. */
    private static final double MOSTLY_FULL = 0.67;

    /** What grows in a heap that is fuller has another reason. */
    private static final double MUCH_FREE = 0.5;

    private static final double COSTLY = 0.02;
    private static final int MANY = 100;

    private static final int PINNING = 22; // From here on G1 pins regions.

    /**
     * Objects of half a region or more each take whole regions of G1, and cause collections. Those
     * that the doctor's own snapshots caused do not count.
     */
    static void humongous(Situation s, Facts f) {
        List<JvmEvent> own = s.events(JvmEvent.OWN_SNAPSHOT);
        List<GcEvent> all =
                s.recent(c -> c.kind() == CollectionKind.YOUNG_PAUSE || c.isFull()); // Whole ones.
        List<GcEvent> caused =
                causedBy(all, Causes.HUMONGOUS).stream()
                        .filter(c -> own.stream().noneMatch(event -> event.hasCaused(c)))
                        .toList();
        double share = (double) caused.size() / all.size();
        boolean isOften = s.worstMinute(caused, c -> 1).count() >= MANY_PER_MINUTE;
        f.is("g1", s.isG1()).count("caused", caused.size());
        if (f.fires(s.isG1() && caused.size() >= EVENTS, isOften && share >= MUCH_HUMONGOUS)) {
            long region = s.settings().regionSize();
            NamedSites sites = NamedSites.humongous(s);
            boolean isLarger = sites.sites().isEmpty() && region < GREATEST_REGION;
            f.during(caused, List.of()).count("humongous.collections", caused.size());
            f.share("share", share).bytes("region.size", region).bytes("half", region / 2.0);
            f.text("larger", isLarger ? String.valueOf((2 * region) >> 20) : "").sites(sites);
        }
    }

    /** Threads had to wait for memory that ZGC had not freed yet. */
    static void stall(Situation s, Facts f) {
        List<JvmEvent> stalls = s.events("ZAllocationStall");
        List<GcEvent> cycles = s.cycles(Causes::isStall);
        f.is("zgc", s.collectorText().contains("ZGC"));
        f.count("stalls", stalls.size()).count("stall.cycles", cycles.size());
        f.count("times", Math.max(stalls.size(), cycles.size()));
        if (f.fires(stalls.size() >= EVENTS || cycles.size() >= EVENTS, true)) {
            f.during(cycles, stalls).sites(NamedSites.ofAllocation(s));
            f.millis("stall.time", millis(stalls));
        }
    }

    /**
     * A collector that runs beside the application could not keep up, and stopped it for the rest:
     * degenerated and full collections of Shenandoah, full ones of G1, failed promotions elsewhere.
     */
    static void degenerated(Situation s, Facts f) {
        boolean isBeside = s.isConcurrent() || s.isG1();
        List<GcEvent> given = s.recent(c -> isBeside && isGivenUp(c));
        List<JvmEvent> failed = isBeside ? List.of() : s.events("PromotionFailed");
        int times = given.size() + failed.size();
        f.is("beside", isBeside).count("times", times);
        if (f.fires(times >= EVENTS || (s.isConcurrent() && fulls(given) > 0), true)) {
            f.during(given, failed).sites(NamedSites.ofAllocation(s));
            f.count("degenerated.count", times).count("promotion.failed", times);
            f.millis("pauses", Situation.pauseMillis(given))
                    .share("share", s.worstPauseShare(given));
        }
    }

    /**
     * G1 found no room to copy live objects to. This makes the pause a little longer. If no room is
     * left at all, it costs a pause for the whole heap.
     */
    static void evacuationFailure(Situation s, Facts f) {
        List<JvmEvent> failed = s.events("EvacuationFailed");
        List<GcEvent> vain = inVain(s);
        List<GcEvent> fulls = s.recent(GcEvent::isFullForSpace);
        int times = Math.max(failed.size(), vain.size());
        f.is("g1", s.isG1()).count("times", times).count("vain", vain.size());
        f.count("evacuation.failed", failed.size()).count("full.count", fulls.size());
        boolean isHarm = !fulls.isEmpty() || failed.size() >= MANY_FAILED;
        if (f.fires(s.isG1() && times >= EVENTS, isHarm)) {
            vain.addAll(fulls);
            f.during(vain, failed).millis("pauses", Situation.pauseMillis(fulls));
            f.sites(NamedSites.holders(s));
        }
    }

    /** Young collections that freed next to nothing, with a full one right after. */
    private static List<GcEvent> inVain(Situation s) {
        List<GcEvent> found = new ArrayList<>();
        GcEvent before = null;
        for (GcEvent c : s.recent()) {
            if (before != null
                    && c.isFullForSpace()
                    && before.kind() == CollectionKind.YOUNG_PAUSE
                    && before.heapAfter() > (1 - LITTLE_FREED) * before.heapBefore()) {
                found.add(before);
            }
            before = c;
        }
        return found;
    }

    /** Native code holds arrays in critical sections, and collections have to wait for it. */
    static void jniCritical(Situation s, Facts f) {
        List<GcEvent> caused = causedBy(s.recent(), "GCLocker Initiated GC");
        List<JvmEvent> waits = s.events("GCLocker");
        List<GcEvent> late = late(s);
        boolean isNone = caused.isEmpty() && waits.isEmpty();
        f.is("pins", isNone && s.isG1() && s.settings().feature() >= PINNING);
        f.is("silent", isNone && s.isConcurrent());
        f.count("jni.collections", caused.size()).count("waits", waits.size());
        double share = millis(waits) / s.millis();
        boolean isHarm = fulls(caused) + late.size() >= EVENTS || share > MUCH_WAITED;
        f.count("late", late.size());
        if (f.fires(Math.max(caused.size() + late.size(), waits.size()) >= EVENTS, isHarm)) {
            late.addAll(caused);
            f.during(late, waits).millis("jni.waits", millis(waits)).share("share", share);
            f.count("fulls", fulls(caused)).callers(ExplicitCalls.ofNative(s));
            if (!f.callers.isEmpty()) {
                f.text("native", f.callers.get(0).call());
                f.count("native.calls", f.callers.get(0).count());
            }
        }
    }

    /**
     * Full collections of Parallel with a full young generation, which was not collected although
     * it was full: the old one grew without promotion. That is where Parallel allocates while a
     * critical section lasts; it names no cause afterwards. A single large array has the same
     * effect, but then the young generation is as full as by chance.
     */
    private static List<GcEvent> late(Situation s) {
        List<GcEvent> late = new ArrayList<>();
        int others = 0;
        GcEvent before = null;
        for (GcEvent c : s.recent(each -> s.settings().collector() == GarbageCollector.PARALLEL)) {
            if (before != null
                    && c.isFullForSpace()
                    && c.oldBefore() - before.oldAfter() > FILLED * s.maxOld()) {
                boolean isFull = young(c) >= MOSTLY_FULL * young(before);
                others += isFull ? 0 : 1;
                late.addAll(isFull ? List.of(c) : List.of());
            }
            before = c;
        }
        return others > MUCH_WAITED * late.size() ? new ArrayList<>() : late;
    }

    /** The young generation before a collection. */
    private static double young(GcEvent c) {
        return (double) c.heapBefore() - c.oldBefore();
    }

    /** The heap begins small and is enlarged again and again, with a collection each time. */
    static void resize(Situation s, Facts f) {
        long initial = s.settings().initialHeap();
        long max = s.settings().maxHeap();
        boolean isFixed = s.isConcurrent() || initial >= max;
        f.is("concurrent", s.isConcurrent()).is("full", initial >= max);
        int rises = 0;
        double millis = 0;
        long committed = initial;
        long end = s.from();
        for (GcEvent c : s.timeline().collections()) {
            boolean isMeant = c.kind().isPause() && c.atMillis() >= s.from();
            if (isMeant && c.heapCommitted() > committed && c.heapAfter() < MUCH_FREE * max) {
                rises++;
                millis += s.fairMillis(c);
                end = c.endMillis();
            }
            committed = Math.max(committed, c.heapCommitted());
        }
        double share = millis / Math.max((double) (end - s.from()), s.minuteMillis());
        f.count("rises", rises);
        if (f.fires(!isFixed && rises >= EVENTS, share > COSTLY || rises > MANY)) {
            f.window(s.from(), end).bytes("initial", initial).bytes("max", max);
            f.bytes("heap.committed", committed).millis("pauses", millis);
        }
    }

    private static double millis(List<JvmEvent> events) {
        return events.stream().mapToDouble(JvmEvent::durationMillis).sum();
    }

    private static List<GcEvent> causedBy(List<GcEvent> all, String cause) {
        return all.stream().filter(c -> c.cause().equals(cause)).toList();
    }

    private static boolean isGivenUp(GcEvent c) {
        boolean isDegenerated = c.kind() == CollectionKind.DEGENERATED_PAUSE;
        return c.isFullForSpace() || (isDegenerated && Causes.isForSpace(c.cause()));
    }

    private static long fulls(List<GcEvent> collections) {
        return collections.stream().filter(GcEvent::isFull).count();
    }
}
