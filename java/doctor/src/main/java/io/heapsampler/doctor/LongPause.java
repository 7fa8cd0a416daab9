// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * One pause took longer than the service may wait, and why. A part of a pause is named as the
 * reason only if it is most of it.
 */
final class LongPause {

    /** With the default limit, one must exceed it by far, or several must exceed it. */
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

    /** The number of the longest pauses that are searched for a reason: each reads all events. */
    private static final int MOST_PAUSES = 100;

    /** What a heap with less in it, or with less work, would make shorter. */
    private static final Set<String> OF_HEAP = Set.of("live_set", "evacuation", "unknown");

    static void find(Situation s, Facts f) {
        double limit = s.slo().pauseMaxMillis();
        List<GcEvent> pauses =
                s.recent(c -> c.kind().isPause() && s.isMeasured(c)).stream()
                        .sorted(Comparator.comparingDouble(GcEvent::durationMillis).reversed())
                        .toList();
        List<GcEvent> over = pauses.stream().filter(c -> c.durationMillis() > limit).toList();
        List<GcEvent> fair = over.stream().filter(c -> s.fairMillis(c) > limit).toList();
        over = fair.isEmpty() ? over : fair;
        boolean isDefault = s.slo().isDefault();
        f.count("pauses", pauses.size()).millis("limit", limit);
        f.millis("longest", pauses.isEmpty() ? 0 : pauses.get(0).durationMillis());
        f.text("default", isDefault ? " (default)" : "");
        if (over.isEmpty()) {
            return;
        }
        boolean isFatal = s.fairMillis(over.get(0)) >= FATAL_MILLIS;
        GcEvent longest = over.get(0);
        List<GcEvent> most = over.subList(0, Math.min(over.size(), MOST_PAUSES));
        GcEvent explained = explained(s, most);
        String reason = reason(s, explained);
        if (!isFatal && reason.equals("unknown")) {
            int least = CollectorRules.EVENTS;
            List<GcEvent> known = most.stream().filter(c -> isKnown(s, c)).limit(least).toList();
            if (known.size() == least) {
                longest = known.get(0); // A longer one without a reason takes nothing back.
                explained = longest;
                reason = reason(s, explained);
            }
        }
        boolean isHarm =
                !isDefault
                        || isFatal
                        || (over.size() >= CollectorRules.EVENTS && !reason.equals("unknown"));
        f.fires(true, isHarm && !reason.equals("starved"));
        f.window(longest.atMillis(), longest.endMillis()).is(reason, true);
        f.put("reason." + reason, 1, "reason", "").is("of.heap", OF_HEAP.contains(reason));
        f.text("bean", longest.bean()).text("cause", longest.cause());
        f.millis("pause.max", longest.durationMillis()).count("pause.count", over.size());
        if (!explained.equals(longest)) {
            f.millis("pause.explained", explained.durationMillis());
        }
        f.share("ran", s.processorShare(explained)).millis("sync", syncMillis(s, explained));
        f.millis("in.references", references(s, explained));
        f.millis("unloading", unloading(s, explained));
        f.bytes("live", explained.heapAfter()).bytes("copied", explained.copied());
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
        if (isKnown(s, longest)) {
            return longest;
        }
        return over.stream()
                .filter(c -> c.kind() == longest.kind() && c.bean().equals(longest.bean()))
                .filter(c -> !parts(s, c).isEmpty())
                .findFirst()
                .orElse(longest);
    }

    private static boolean isKnown(Situation s, GcEvent pause) {
        return !reason(s, pause).equals("unknown");
    }

    private static String reason(Situation s, GcEvent pause) {
        double fair = s.fairMillis(pause);
        double millis = pause.durationMillis();
        boolean isOld = pause.kind().isOld();
        double work = isOld ? (double) pause.heapAfter() : pause.copied();
        if (isStarved(s, pause) && fair <= s.slo().pauseMaxMillis()) {
            return "starved";
        } else if (Causes.isExplicit(pause.cause())) {
            return "explicit";
        } else if (references(s, pause) >= Math.max(LEAST_MILLIS, MUCH * millis)) {
            return "references";
        } else if (unloading(s, pause) >= Math.max(LEAST_MILLIS, MOST * millis)) {
            return "class_unloading";
        } else if (syncMillis(s, pause) >= MOST * millis) {
            return "safepoint";
        } else if (fair > MOST_MILLIS_PER_MB * work / MB) {
            return "unknown";
        }
        return isOld ? "live_set" : "evacuation";
    }

    /**
     * The threads of a concurrent collector also wait while the application runs, so they tell
     * nothing of its short pauses.
     */
    private static boolean isStarved(Situation s, GcEvent pause) {
        return s.processorShare(pause) < MOST && (!s.isConcurrent() || pause.kind().isOld());
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

    /** How long threads took to reach safepoints in the second of the pause. */
    private static double syncMillis(Situation s, GcEvent pause) {
        return s.during(pause, Tick::safepointSyncMillis);
    }
}
