// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Why a pause was long. A part of a pause is named only if it is most of it. */
enum PauseReason {
    STARVED("the collector waited for a processor"),
    EXPLICIT("System.gc() collects the whole heap"),
    REFERENCES("references and finalizers"),
    CLASS_UNLOADING("unloading of classes"),
    SAFEPOINT("threads were slow to reach the safepoint"),
    LIVE_SET("the live set is large"),
    EVACUATION("many objects were copied"),
    UNKNOWN("no part of it stands out");

    /** A part of a pause is most of it from this share on. */
    private static final double MOST = 0.5;

    /**
     * References count from this share on: what their objects cost to be copied comes on top, and
     * is not reported.
     */
    private static final double MUCH = 0.25;

    /** A shorter part is no reason, even if it is most of the pause. */
    private static final double LEAST_MILLIS = 50;

    /**
     * What it takes at most to mark, or to copy, a MiB of small objects with one thread on a slow
     * machine; see doc/thresholds.md.
     */
    private static final double MOST_MILLIS_PER_MB = 10;

    private static final double MB = 1 << 20;

    private final String title;

    PauseReason(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    static PauseReason of(Situation s, GcEvent pause) {
        boolean isStarved = s.processorShare(pause.atMillis(), pause.endMillis()) < MOST;
        if (isStarved && s.fairMillis(pause) <= s.slo().pauseMaxMillis()) {
            return STARVED;
        }
        if (Causes.isExplicit(pause.cause())) {
            return EXPLICIT;
        }
        double references = phaseMillis(s, pause, "reference", "finaliz");
        if (references >= LEAST_MILLIS && references >= MUCH * pause.durationMillis()) {
            return REFERENCES;
        }
        if (isMost(phaseMillis(s, pause, "class unload", "system dictionary"), pause)) {
            return CLASS_UNLOADING;
        }
        if (syncMillis(s, pause) >= MOST * pause.durationMillis()) {
            return SAFEPOINT;
        }
        double fair = s.fairMillis(pause);
        if (pause.kind().isOld() && fair <= MOST_MILLIS_PER_MB * pause.heapAfter() / MB) {
            return LIVE_SET;
        }
        return !pause.kind().isOld() && fair <= MOST_MILLIS_PER_MB * copied(pause) / MB
                ? EVACUATION
                : UNKNOWN;
    }

    /** What a young pause copied: what is young after it, and what it promoted. */
    private static double copied(GcEvent c) {
        return (double) Math.max(c.youngAfter(), 0) + Math.max(c.oldAfter() - c.oldBefore(), 0);
    }

    /** Returns whether Flight Recorder reports the parts of a pause. */
    static boolean isDetailed(Situation s, GcEvent pause) {
        return during(s, pause).stream().anyMatch(e -> e.type().startsWith("GCPhasePause"));
    }

    private static boolean isMost(double millis, GcEvent pause) {
        return millis >= LEAST_MILLIS && millis >= MOST * pause.durationMillis();
    }

    /** The time in phases of a pause whose names have one of some parts; each name counts once. */
    private static double phaseMillis(Situation s, GcEvent pause, String... parts) {
        Map<String, Double> longest = new HashMap<>();
        for (JvmEvent event : during(s, pause)) {
            String name = event.values().getOrDefault("name", "").toLowerCase(Locale.ROOT);
            for (String part : parts) {
                if (event.type().startsWith("GCPhasePause") && name.contains(part)) {
                    longest.merge(name, event.durationMillis(), Math::max);
                }
            }
        }
        double sum = 0;
        for (double millis : longest.values()) {
            sum += millis;
        }
        return Math.min(sum, pause.durationMillis());
    }

    private static List<JvmEvent> during(Situation s, GcEvent pause) {
        long end = pause.endMillis();
        return s.timeline().events().stream()
                .filter(e -> e.atMillis() >= pause.atMillis() - 1 && e.atMillis() <= end + 1)
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

    /** Adds the evidence for the reason, the sites, and what to do. */
    void tell(Situation s, GcEvent pause, FindingBuilder finding) {
        finding.evidence(
                "reason." + name().toLowerCase(Locale.ROOT), 1, "reason", because(s, pause));
        switch (this) {
            case STARVED ->
                    finding.advice(
                                    Advice.Kind.SIZE,
                                    "Give the process more processor time, or run less beside it:"
                                            + " the heap is not the cause.")
                            .refutedBy("The pause is as long on a machine with idle processors.");
            case EXPLICIT ->
                    finding.advice(
                                    Advice.Kind.CODE,
                                    "Remove the call of System.gc(), see gc.explicit.")
                            .refutedBy("Pauses without System.gc() are as long.");
            case REFERENCES ->
                    finding.sites(Makers.references(s))
                            .advice(
                                    Advice.Kind.CODE,
                                    "Make fewer objects with finalizers, cleaners and weak"
                                            + " references, or drop them earlier; close what can be"
                                            + " closed.")
                            .refutedBy("The pause is as long without these references.");
            case CLASS_UNLOADING ->
                    finding.advice(
                                    Advice.Kind.CODE,
                                    "Load fewer classes that are soon dropped: keep generated"
                                            + " classes and class loaders.")
                            .refutedBy("The pause is as long when no classes are unloaded.");
            case SAFEPOINT ->
                    finding.advice(
                                    Advice.Kind.CODE,
                                    "Look for long loops without calls, and for large copies; the"
                                            + " log of -Xlog:safepoint shows how long threads"
                                            + " took.")
                            .refutedBy("The log of -Xlog:safepoint shows short times to reach it.");
            case LIVE_SET ->
                    finding.sites(Makers.holders(s))
                            .advice(
                                    Advice.Kind.CODE,
                                    "Keep less in the heap: such a pause is as long as the live set"
                                            + " is large. If it must be there, use a collector that"
                                            + " runs beside the application.")
                            .refutedBy("With half of the live set the pause is as long.");
            case EVACUATION ->
                    finding.sites(Makers.holders(s))
                            .advice(
                                    Advice.Kind.CODE,
                                    "Let fewer objects live until the next collection: a young"
                                            + " pause is as long as what survives it is large.")
                            .refutedBy("With half of the survivors the pause is as long.");
            case UNKNOWN ->
                    finding.advice(
                                    Advice.Kind.CODE,
                                    "Let the doctor open Flight Recorder: it reports the parts of"
                                            + " a pause.")
                            .refutedBy(
                                    "The machine was short of memory at that time, and swapped.");
        }
    }

    private String because(Situation s, GcEvent pause) {
        return switch (this) {
            case STARVED ->
                    "In the second of the pause the threads of the collector ran for only "
                            + Text.share(s.processorShare(pause.atMillis(), pause.endMillis()))
                            + " of the time in which they were ready to run.";
            case EXPLICIT -> "Its cause is System.gc().";
            case REFERENCES ->
                    Text.millis(phaseMillis(s, pause, "reference", "finaliz"))
                            + " of it went into references.";
            case CLASS_UNLOADING ->
                    Text.millis(phaseMillis(s, pause, "class unload", "system dictionary"))
                            + " of it went into unloading classes.";
            case SAFEPOINT ->
                    "Threads took "
                            + Text.millis(syncMillis(s, pause))
                            + " to reach safepoints in that second.";
            case LIVE_SET ->
                    Text.bytes(pause.heapAfter())
                            + " were live after it, and no other part of it stands out.";
            case EVACUATION -> Text.bytes(copied(pause)) + " were copied in it.";
            case UNKNOWN ->
                    isDetailed(s, pause)
                            ? "No part of it is half of it and longer than "
                                    + Text.millis(LEAST_MILLIS)
                                    + "."
                            : "The parts of it are not known; Flight Recorder would show them.";
        };
    }
}
