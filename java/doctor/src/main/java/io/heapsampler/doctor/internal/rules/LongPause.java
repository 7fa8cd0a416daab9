// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One pause took longer than the service may wait, and why. A part of a pause is named as the
 * reason only if it is most of it.
 */
final class LongPause {

    /** With the default limit, this many pauses must exceed it, or one by far. */
    private static final int EVENTS = 3;

    private static final double FATAL_MILLIS = 1000;
    private static final double MOST = 0.5; // A part of a pause is most of it from this share on.

    /** References: copying what they hold comes on top, and is not reported. */
    private static final double MUCH = 0.25;

    /** A shorter part is no reason, even if it is most of the pause. */
    private static final double LEAST_MILLIS = 50;

    /**
     * What it takes at most to mark, or to copy, a MiB of small objects with one thread on a slow
     * machine; see doc/thresholds.md.
     */
    private static final double MOST_MILLIS_PER_MB = 10;

    private static final double MB = 1 << 20;

    static final TableRule RULE =
            new TableRule(
                    """
                    pause.long
                    quiet The longest of {pauses pause|pauses} took {longest}; the limit is \
                    {limit}{default}.
                    title A pause took {pause.max}: {why}
                    why?starved the collector waited for a processor
                    why?explicit System.gc() collects the whole heap
                    why?references references and finalizers
                    why?class_unloading unloading of classes
                    why?safepoint threads were slow to reach the safepoint
                    why?live_set the live set is large
                    why?evacuation many objects were copied
                    why no part of it stands out
                    pause.max {bean}, {cause}: {pause.max}; the limit is {limit}{default}.
                    pause.count {pause.count pause was|pauses were} over the limit.
                    pause.explained The parts of the longest one are not known: the JVM's log, \
                    which has them, is read only while something looks wrong. The next lines \
                    describe a pause of {pause.explained} of the same kind.
                    reason.starved In the second of the pause the threads of the collector ran for \
                    only {ran} of the time in which they were ready to run.
                    SIZE?starved Give the process more processor time, or run less beside it: the \
                    heap is not the cause.
                    wrong?starved The pause is as long on a machine with idle processors.
                    reason.explicit Its cause is System.gc().
                    CODE?explicit Remove the call of System.gc(), see gc.explicit.
                    wrong?explicit Pauses without System.gc() are as long.
                    reason.references {in.references} of it went into references.
                    CODE?references Make fewer objects with finalizers, cleaners and weak \
                    references, or drop them earlier; close what can be closed.
                    wrong?references The pause is as long without these references.
                    reason.class_unloading {unloading} of it went into unloading classes.
                    CODE?class_unloading Load fewer classes that are soon dropped: keep generated \
                    classes and class loaders.
                    wrong?class_unloading The pause is as long when no classes are unloaded.
                    reason.safepoint Threads took {sync} to reach safepoints in that second.
                    CODE?safepoint Look for long loops without calls, and for large copies; the \
                    log of -Xlog:safepoint shows how long threads took.
                    wrong?safepoint The log of -Xlog:safepoint shows short times to reach it.
                    reason.live_set {live} were live after it, and no other part of it stands out.
                    CODE?live_set Keep less in the heap: such a pause is as long as the live set \
                    is large. If it must be there, use a collector that runs beside the application.
                    wrong?live_set With half of the live set the pause is as long.
                    reason.evacuation {copied} were copied in it.
                    CODE?evacuation Let fewer objects live until the next collection: a young \
                    pause is as long as what survives it is large.
                    wrong?evacuation With half of the survivors the pause is as long.
                    reason.unknown?detailed No part of it is half of it and longer than 50 ms.
                    reason.unknown!detailed The parts of it are not known: the JVM's log, which \
                    has them, is read only while something looks wrong.
                    CODE?unknown Look at this finding again after the next long pause: the doctor \
                    reads the parts of pauses in the JVM's log while something looks wrong.
                    wrong?unknown The machine was short of memory at that time, and swapped.
                    """,
                    LongPause::find);

    private LongPause() {}

    private static void find(Situation s, Facts f) {
        double limit = s.slo().pauseMaxMillis();
        List<GcEvent> pauses =
                s.recent(c -> c.kind().isPause()).stream()
                        .sorted(Comparator.comparingDouble(GcEvent::durationMillis).reversed())
                        .toList();
        List<GcEvent> over = pauses.stream().filter(c -> c.durationMillis() > limit).toList();
        List<GcEvent> fair = over.stream().filter(c -> s.fairMillis(c) > limit).toList();
        over = fair.isEmpty() ? over : fair;
        f.count("pauses", pauses.size()).millis("limit", limit);
        f.millis("longest", pauses.isEmpty() ? 0 : pauses.get(0).durationMillis());
        boolean isDefault = s.slo().isDefault();
        if (over.isEmpty()) {
            f.text("default", isDefault ? ", which is the default" : "");
            return;
        }
        GcEvent longest = over.get(0);
        GcEvent explained = explained(s, over);
        String reason = reason(s, explained);
        boolean isHarm =
                !isDefault
                        || s.fairMillis(longest) >= FATAL_MILLIS
                        || (over.size() >= EVENTS && !reason.equals("unknown"));
        f.fires(true, isHarm && !reason.equals("starved"));
        f.window(longest.atMillis(), longest.endMillis()).is(reason, true);
        f.put("reason." + reason, 1, "reason", "").text("default", isDefault ? " (default)" : "");
        f.text("bean", longest.bean()).text("cause", longest.cause());
        f.millis("pause.max", longest.durationMillis()).count("pause.count", over.size());
        if (!explained.equals(longest)) {
            f.millis("pause.explained", explained.durationMillis());
        }
        f.share("ran", s.processorShare(explained.atMillis(), explained.endMillis()));
        f.millis("in.references", references(s, explained));
        f.millis("unloading", unloading(s, explained)).millis("sync", syncMillis(s, explained));
        f.bytes("live", explained.heapAfter()).bytes("copied", explained.copied());
        f.is("detailed", !parts(s, explained).isEmpty());
        if (reason.equals("references")) {
            f.sites(NamedSites.references(s));
        } else if (reason.equals("live_set") || reason.equals("evacuation")) {
            f.sites(NamedSites.holders(s));
        }
    }

    /**
     * The JVM's log is read only once there is a problem, so earlier pauses have no details. If
     * nothing else explains the longest pause, the longest pause of its kind with details is used.
     */
    private static GcEvent explained(Situation s, List<GcEvent> over) {
        GcEvent longest = over.get(0);
        if (!reason(s, longest).equals("unknown")) {
            return longest;
        }
        return over.stream()
                .filter(c -> c.kind() == longest.kind() && c.bean().equals(longest.bean()))
                .filter(c -> !parts(s, c).isEmpty())
                .findFirst()
                .orElse(longest);
    }

    private static String reason(Situation s, GcEvent pause) {
        double fair = s.fairMillis(pause);
        if (isStarved(s, pause) && fair <= s.slo().pauseMaxMillis()) {
            return "starved";
        }
        if (Causes.isExplicit(pause.cause())) {
            return "explicit";
        }
        double millis = pause.durationMillis();
        if (references(s, pause) >= Math.max(LEAST_MILLIS, MUCH * millis)) {
            return "references";
        }
        if (unloading(s, pause) >= Math.max(LEAST_MILLIS, MOST * millis)) {
            return "class_unloading";
        }
        if (syncMillis(s, pause) >= MOST * millis) {
            return "safepoint";
        }
        boolean isOld = pause.kind().isOld();
        double work = isOld ? (double) pause.heapAfter() : pause.copied();
        if (fair > MOST_MILLIS_PER_MB * work / MB) {
            return "unknown";
        }
        return isOld ? "live_set" : "evacuation";
    }

    /**
     * The threads of a concurrent collector also wait while the application runs, so they tell
     * nothing of its short pauses.
     */
    private static boolean isStarved(Situation s, GcEvent pause) {
        return s.processorShare(pause.atMillis(), pause.endMillis()) < MOST
                && (!s.isConcurrent() || pause.kind().isOld());
    }

    private static double references(Situation s, GcEvent pause) {
        return phaseMillis(s, pause, "reference", "finaliz");
    }

    /**
     * The log that is read has it with Serial, ZGC and Shenandoah. That of G1 and Parallel would be
     * long, so there it is not known.
     */
    private static double unloading(Situation s, GcEvent pause) {
        return phaseMillis(s, pause, "class unload", "system dictionary");
    }

    /** The time in phases of a pause whose names have one of two parts; each name counts once. */
    private static double phaseMillis(Situation s, GcEvent pause, String one, String other) {
        Map<String, Double> longest = new HashMap<>();
        for (JvmEvent part : parts(s, pause)) {
            String name = part.values().getOrDefault("name", "").toLowerCase(Locale.ROOT);
            if (name.contains(one) || name.contains(other)) {
                longest.merge(name, part.durationMillis(), Math::max);
            }
        }
        double sum = longest.values().stream().mapToDouble(Double::doubleValue).sum();
        return Math.min(sum, pause.durationMillis());
    }

    private static List<JvmEvent> parts(Situation s, GcEvent pause) {
        return s.timeline().events().stream()
                .filter(e -> e.atMillis() >= pause.atMillis() - 1)
                .filter(e -> e.atMillis() <= pause.endMillis() + 1)
                .filter(e -> e.type().startsWith("GCPhasePause"))
                .toList();
    }

    /** How long threads took to reach safepoints in the second of the pause; 0 if unknown. */
    private static double syncMillis(Situation s, GcEvent pause) {
        Tick before = null;
        for (Tick tick : s.timeline().ticks()) {
            if (tick.atMillis() >= pause.endMillis()) {
                return before == null || before.safepointSyncMillis() < 0
                        ? 0
                        : tick.safepointSyncMillis() - before.safepointSyncMillis();
            }
            before = tick.atMillis() < pause.atMillis() ? tick : before;
        }
        return 0;
    }
}
