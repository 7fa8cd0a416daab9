// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.util.List;

/** The application or a library calls {@code System.gc()}. */
public final class ExplicitGc implements Rule {

    private static final int EVENTS = 3;
    private static final int MANY_PER_MINUTE = 10;

    @Override
    public String id() {
        return "gc.explicit";
    }

    @Override
    public Verdict judge(Situation s) {
        ExplicitCalls calls = ExplicitCalls.of(s);
        if (calls.byApplication() < EVENTS) {
            return Verdict.quiet(
                    this,
                    "Of "
                            + Text.count(calls.collections.size(), "collection", "collections")
                            + " by System.gc() "
                            + calls.byBuffers
                            + " were the JDK's own, for direct memory; "
                            + calls.byApplication()
                            + " remain, and it takes "
                            + EVENTS
                            + ".");
        }
        Situation.Minute worst = s.worstMinute(calls.collections, c -> 1);
        double share = s.worstPauseShare(calls.collections);
        boolean harms =
                worst.count() >= MANY_PER_MINUTE
                        || (worst.count() >= EVENTS && share > 1 - s.slo().throughputMin());
        FindingBuilder finding =
                new FindingBuilder(
                                this,
                                s,
                                harms ? Severity.WARNING : Severity.INFO,
                                "System.gc() was called "
                                        + Text.count(calls.byApplication(), "time", "times"))
                        .window(
                                calls.collections.get(0).atMillis(),
                                calls.collections.get(calls.collections.size() - 1).endMillis())
                        .evidence(
                                "explicit.count",
                                calls.byApplication(),
                                "count",
                                Text.count(worst.count(), "call", "calls")
                                        + " in the worst minute, which stood still for "
                                        + Text.share(share)
                                        + " of the time for it.");
        tellCaller(calls, finding);
        tellFreed(calls.collections, finding);
        return finding.callers(calls.ofApplication())
                .advice(Advice.Kind.CODE, advice(calls))
                .refutedBy("Flight Recorder's event SystemGC shows java.nio.Bits as the caller.")
                .fired();
    }

    private static void tellCaller(ExplicitCalls calls, FindingBuilder finding) {
        if (calls.topCalls() > 0) {
            finding.evidence(
                    "explicit.caller",
                    calls.topCalls(),
                    "count",
                    "Called from " + calls.topCaller() + ".");
        } else {
            finding.evidence(
                    "explicit.caller",
                    0L,
                    "count",
                    "The caller is not known: Flight Recorder has reported no call.");
        }
        if (calls.byRmi > 0) {
            finding.evidence(
                    "explicit.rmi",
                    calls.byRmi,
                    "count",
                    Text.count(calls.byRmi, "call is", "calls are")
                            + " of RMI, whose interval is sun.rmi.dgc.server.gcInterval.");
        }
    }

    private static void tellFreed(List<GcEvent> collections, FindingBuilder finding) {
        long freed = 0;
        int known = 0;
        for (GcEvent c : collections) {
            if (c.heapBefore() > 0 && c.heapAfter() >= 0) {
                freed += Math.max(c.heapBefore() - c.heapAfter(), 0);
                known++;
            }
        }
        if (known > 0) {
            finding.evidence(
                    "explicit.freed",
                    freed / known,
                    "bytes",
                    "Each of them freed "
                            + Text.bytes(freed / known)
                            + " on average, which the next collection would have freed anyway.");
        }
    }

    private static String advice(ExplicitCalls calls) {
        String place = calls.topCalls() > 0 ? " at " + calls.topCaller() : "";
        return "Remove the call"
                + place
                + ". Do not forbid all of them by a flag: the JDK needs its own to get direct"
                + " memory back.";
    }
}
