// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.GcEvent;
import io.heapsampler.doctor.JvmEvent;
import io.heapsampler.doctor.Tick;
import io.heapsampler.doctor.internal.text.Text;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Why a pause was long. */
enum PauseReason {
    REFERENCES("references and finalizers"),
    CLASS_UNLOADING("unloading of classes"),
    LIVE_SET("the live set is large"),
    SAFEPOINT("threads were slow to reach the safepoint"),
    UNKNOWN("no part of it stands out");

    /** A part of a pause counts if it is at least so much of it, and so long. */
    private static final double LEAST_SHARE = 0.1;

    private static final double LEAST_MILLIS = 50;

    /**
     * Looking for classes to unload takes time where there are none, too; on a busy machine much.
     */
    private static final double WITHOUT_UNLOADED = 0.5;

    /** Reaching the safepoint comes on top of a pause; it matters if it is so much of it. */
    private static final double SLOW_TO_REACH = 0.5;

    /** So many in one collection are many. */
    private static final long MANY_REFERENCES = 50_000;

    private final String title;

    PauseReason(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    static PauseReason of(Situation s, GcEvent pause) {
        if (isLong(phaseMillis(s, pause, "reference", "finaliz"), pause)
                || references(s, pause) >= MANY_REFERENCES) {
            return REFERENCES;
        }
        double unloading = phaseMillis(s, pause, "class unload", "system dictionary");
        boolean hasUnloaded = inItsSecond(s, pause, Tick::classesUnloaded) > 0;
        if (isLong(unloading, pause)
                && (hasUnloaded || unloading >= WITHOUT_UNLOADED * pause.durationMillis())) {
            return CLASS_UNLOADING;
        }
        if (syncMillis(s, pause) >= SLOW_TO_REACH * pause.durationMillis()) {
            return SAFEPOINT;
        }
        return pause.kind().isOld() && pause.heapAfter() > 0 ? LIVE_SET : UNKNOWN;
    }

    /** Says whether Flight Recorder tells of the parts of a pause, or of references in it. */
    static boolean isDetailed(Situation s, GcEvent pause) {
        return during(s, pause).stream().anyMatch(PauseReason::isDetail);
    }

    private static boolean isDetail(JvmEvent event) {
        return event.type().startsWith("GCPhasePause")
                || event.type().equals("GCReferenceStatistics");
    }

    private static boolean isLong(double millis, GcEvent pause) {
        return millis >= LEAST_MILLIS && millis >= LEAST_SHARE * pause.durationMillis();
    }

    /** The time in phases of a pause whose names have one of some parts. */
    private static double phaseMillis(Situation s, GcEvent pause, String... parts) {
        double longest = 0;
        for (JvmEvent event : during(s, pause)) {
            String name = event.values().getOrDefault("name", "").toLowerCase(Locale.ROOT);
            for (String part : parts) {
                if (event.type().startsWith("GCPhasePause") && name.contains(part)) {
                    longest = Math.max(longest, event.durationMillis());
                }
            }
        }
        return longest;
    }

    private static List<JvmEvent> during(Situation s, GcEvent pause) {
        long end = pause.endMillis();
        return s.timeline().events().stream()
                .filter(e -> e.atMillis() >= pause.atMillis() - 1 && e.atMillis() <= end + 1)
                .toList();
    }

    /** References that one collection had to look at. */
    private static long references(Situation s, GcEvent pause) {
        long sum = 0;
        for (JvmEvent event : during(s, pause)) {
            if (event.type().equals("GCReferenceStatistics")) {
                sum += number(event.values().getOrDefault("count", "0"));
            }
        }
        return sum;
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** How long threads took to reach safepoints in the second of the pause. */
    private static double syncMillis(Situation s, GcEvent pause) {
        return inItsSecond(s, pause, Tick::safepointSyncMillis);
    }

    /** By how much a count has risen between the ticks around a pause; 0 if nothing tells. */
    private static double inItsSecond(Situation s, GcEvent pause, ToDoubleFunction<Tick> counter) {
        Tick before = null;
        for (Tick tick : s.timeline().ticks()) {
            if (tick.atMillis() >= pause.endMillis()) {
                return before == null || counter.applyAsDouble(before) < 0
                        ? 0
                        : counter.applyAsDouble(tick) - counter.applyAsDouble(before);
            }
            before = tick.atMillis() < pause.atMillis() ? tick : before;
        }
        return 0;
    }

    /** Adds what is behind the reason, who causes it, and what to do. */
    void tell(Situation s, GcEvent pause, FindingBuilder finding) {
        finding.evidence(
                "reason." + name().toLowerCase(Locale.ROOT), 1, "reason", because(s, pause));
        switch (this) {
            case REFERENCES -> {
                finding.sites(Makers.references(s))
                        .advice(
                                Advice.Kind.CODE,
                                "Make fewer objects with finalizers, cleaners and weak references,"
                                        + " or let go of them earlier; close what can be closed.")
                        .refutedBy("The pause is as long without these references.");
            }
            case CLASS_UNLOADING -> {
                finding.advice(
                                Advice.Kind.CODE,
                                "Load fewer classes that are soon dropped: keep generated classes"
                                        + " and class loaders.")
                        .refutedBy("The pause is as long when no classes are unloaded.");
            }
            case SAFEPOINT -> {
                finding.advice(
                                Advice.Kind.CODE,
                                "Look for long loops without calls, and for large copies; the log"
                                        + " of -Xlog:safepoint shows how long threads took.")
                        .refutedBy("The log of -Xlog:safepoint shows short times to reach it.");
            }
            case LIVE_SET -> {
                finding.sites(Makers.holders(s))
                        .advice(
                                Advice.Kind.CODE,
                                "Keep less in the heap: such a pause is as long as what is live"
                                        + " is large. If it must be there, take a collector that"
                                        + " works beside the application.")
                        .refutedBy("With half of the live set the pause is as long.");
            }
            default -> {
                finding.refutedBy("The machine was out of processors or memory at that time.");
            }
        }
    }

    private String because(Situation s, GcEvent pause) {
        return switch (this) {
            case REFERENCES ->
                    Text.count(references(s, pause), "reference", "references")
                            + " were found in it; "
                            + Text.millis(phaseMillis(s, pause, "reference", "finaliz"))
                            + " went into them.";
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
            default ->
                    "Flight Recorder tells of no part that is a tenth of it and longer than "
                            + Text.millis(LEAST_MILLIS)
                            + ".";
        };
    }
}
