// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import java.util.List;

/** Native code holds arrays in critical sections, and collections have to wait for it. */
public final class JniCritical implements Rule {

    private static final String CAUSE = "GCLocker Initiated GC";

    private static final int EVENTS = 3;

    /** From here on regions are pinned under G1, and nothing is said under Serial and Parallel. */
    private static final int PINNING = 22;

    private static final int SILENT = 25;

    /** Short critical sections cost a few per cent of the time at most, and do no harm. */
    private static final double MUCH = 0.1;

    /** The tolerance between the clocks of events and of collections. */
    private static final long CLOCKS_MILLIS = 2;

    @Override
    public String id() {
        return "jni.critical";
    }

    @Override
    public Verdict judge(Situation s) {
        boolean isSilent =
                s.isConcurrent()
                        || s.settings().feature() >= SILENT
                        || (s.isG1() && s.settings().feature() >= PINNING);
        List<GcEvent> caused = s.recent(c -> c.cause().equals(CAUSE));
        List<JvmEvent> stalls = s.events("GCLocker");
        if (isSilent && caused.isEmpty() && stalls.isEmpty()) {
            return Verdict.hidden(
                    this,
                    s.isG1()
                            ? "G1 pins regions since JDK 22, and no collection waits."
                            : s.collectorText()
                                    + " does not report waits for critical sections; the log of"
                                    + " -Xlog:safepoint shows long times to reach safepoints.");
        }
        double millis = areTold(stalls) ? told(stalls) : inferred(s, stalls);
        List<GcEvent> whole =
                caused.stream().filter(c -> c.kind() == CollectionKind.FULL_PAUSE).toList();
        if (caused.size() < EVENTS && stalls.size() < EVENTS) {
            return Verdict.quiet(
                    this,
                    Text.count(caused.size(), "collection", "collections")
                            + " with the cause "
                            + CAUSE
                            + " and "
                            + Text.count(stalls.size(), "wait", "waits")
                            + "; it takes "
                            + EVENTS
                            + ".");
        }
        return finding(s, caused, whole, stalls, millis);
    }

    /** JDK 21 reports when a wait began, and a duration of 0. */
    private static boolean areTold(List<JvmEvent> stalls) {
        return stalls.stream().anyMatch(stall -> stall.durationMillis() > 0);
    }

    private static double told(List<JvmEvent> stalls) {
        return stalls.stream().mapToDouble(JvmEvent::durationMillis).sum();
    }

    /**
     * A wait is over when the collection begins that waits, and before the next wait. Of a time of
     * which not every collection was kept, that one may be forgotten: such a wait counts as 0.
     */
    private static double inferred(Situation s, List<JvmEvent> stalls) {
        long[] ends =
                s.recent().stream()
                        .filter(JniCritical::waits)
                        .mapToLong(GcEvent::atMillis)
                        .sorted()
                        .toArray();
        long[] starts =
                stalls.stream()
                        .mapToLong(JvmEvent::atMillis)
                        .filter(at -> at >= s.timeline().completeFromMillis())
                        .sorted()
                        .toArray();
        double millis = 0;
        int next = 0;
        for (int i = 0; i < starts.length; i++) {
            while (next < ends.length && ends[next] < starts[i] - CLOCKS_MILLIS) {
                next++;
            }
            long end = next == ends.length ? starts[i] : ends[next];
            long later = i + 1 == starts.length ? end : starts[i + 1];
            millis += Math.max(0, Math.min(end, later) - starts[i]);
        }
        return millis;
    }

    private static boolean waits(GcEvent collection) {
        return collection.kind() == CollectionKind.YOUNG_PAUSE
                || collection.kind() == CollectionKind.FULL_PAUSE;
    }

    private Verdict finding(
            Situation s,
            List<GcEvent> caused,
            List<GcEvent> whole,
            List<JvmEvent> stalls,
            double millis) {
        boolean harms = whole.size() >= EVENTS || millis / s.millis() > MUCH;
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        harms ? Severity.WARNING : Severity.INFO,
                        "Collections waited for native code that held arrays");
        finding.evidence(
                "jni.waits",
                millis,
                "ms",
                stalls.isEmpty()
                        ? "Flight Recorder reports no wait."
                        : Text.count(stalls.size(), "wait", "waits")
                                + " of "
                                + Text.millis(millis)
                                + " in total, "
                                + Text.share(millis / s.millis())
                                + " of the time"
                                + (areTold(stalls)
                                        ? "."
                                        : ", each until the next collection: this JDK does not"
                                                + " report how long they took."));
        finding.evidence(
                "jni.collections",
                caused.size(),
                "count",
                Text.count(caused.size(), "collection", "collections")
                        + " with the cause "
                        + CAUSE
                        + ", "
                        + whole.size()
                        + " of them full.");
        for (JvmEvent stall : stalls) {
            if (!stall.stack().isEmpty()) {
                finding.evidence(
                        "jni.caller",
                        1L,
                        "count",
                        "One of them waited for " + stall.stack().get(0) + ".");
                break;
            }
        }
        return finding.during(caused, stalls)
                .advice(
                        Advice.Kind.CODE,
                        "Hand smaller pieces to native code that uses critical arrays, such as"
                                + " Deflater and CRC32, or give it direct buffers. G1 of JDK 22 and"
                                + " later does not wait for them.")
                .refutedBy("Flight Recorder's event GCLocker, with a threshold of 0, shows none.")
                .fired();
    }
}
