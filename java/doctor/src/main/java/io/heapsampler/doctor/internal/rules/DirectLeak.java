// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.sites.OffHeap;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.List;

/** Direct memory grows and does not fall after collections. */
public final class DirectLeak implements Rule {

    private static final int TICKS = 3;
    private static final double NEARLY_FULL = 0.9;
    private static final double HALF_FULL = 0.5;

    @Override
    public String id() {
        return "direct.leak";
    }

    @Override
    public Verdict judge(Situation s) {
        List<Tick> ticks = s.timeline().ticks();
        long limit = s.settings().maxDirect();
        if (ticks.size() < TICKS || ticks.get(ticks.size() - 1).directUsed() < 0 || limit <= 0) {
            return Verdict.hidden(this, "Too few looks at direct buffers yet.");
        }
        Tick last = ticks.get(ticks.size() - 1);
        boolean isStuck = isStuck(s, ticks, limit);
        DirectRise rise = DirectRise.of(s);
        if (!isStuck && !rise.isSteady(limit)) {
            return Verdict.quiet(
                    this,
                    Text.bytes(last.directUsed())
                            + " of "
                            + Text.bytes(limit)
                            + " are in use, and neither grow steadily nor stay at the limit.");
        }
        return finding(s, last, isStuck, rise);
    }

    /** At the limit in spite of a collection that was to help, or where none may help. */
    private static boolean isStuck(Situation s, List<Tick> ticks, long limit) {
        for (Tick tick : ticks.subList(ticks.size() - TICKS, ticks.size())) {
            if (tick.directUsed() < NEARLY_FULL * limit) {
                return false;
            }
        }
        long since = ticks.get(ticks.size() - TICKS).atMillis() - 60_000;
        return s.settings().isOn("DisableExplicitGC")
                || s.recent(c -> Causes.isExplicit(c.cause())).stream()
                        .anyMatch(c -> c.atMillis() >= since && wasInVain(c, ticks, limit));
    }

    /** Since when they are there without a break. */
    private static Tick firstAtLimit(List<Tick> ticks, long limit) {
        int first = ticks.size() - 1;
        while (first > 0 && ticks.get(first - 1).directUsed() >= NEARLY_FULL * limit) {
            first--;
        }
        return ticks.get(first);
    }

    /** Were the buffers there at the first look after it? */
    private static boolean wasInVain(GcEvent collection, List<Tick> ticks, long limit) {
        long end = collection.endMillis();
        return ticks.stream()
                .filter(tick -> tick.atMillis() >= end)
                .findFirst()
                .filter(tick -> tick.directUsed() >= NEARLY_FULL * limit)
                .isPresent();
    }

    private static Severity severity(boolean isStuck, DirectRise rise, double full) {
        if (isStuck) {
            return Severity.CRITICAL;
        }
        return rise.isKept() || (full >= HALF_FULL && rise.isLong())
                ? Severity.WARNING
                : Severity.INFO;
    }

    private Verdict finding(Situation s, Tick last, boolean isStuck, DirectRise rise) {
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        severity(
                                isStuck,
                                rise,
                                (double) last.directUsed() / s.settings().maxDirect()),
                        "Direct buffers take "
                                + Text.bytes(last.directUsed())
                                + " of "
                                + Text.bytes(s.settings().maxDirect())
                                + (isStuck ? " and stay there" : " and grow"));
        finding.evidence(
                "direct.used",
                last.directUsed(),
                "bytes",
                Text.count(last.directCount(), "buffer holds", "buffers hold")
                        + " "
                        + Text.bytes(last.directUsed())
                        + (isStuck
                                ? s.settings().isOn("DisableExplicitGC")
                                        ? "; explicit collections are forbidden, so nothing gives"
                                                + " them back."
                                        : "; a collection did not give them back."
                                : "; they grew by " + rise.text(s.settings().maxDirect())));
        for (JvmEvent event : s.events("SystemGC")) {
            String maker = maker(event);
            if (!maker.isEmpty()) {
                finding.evidence(
                        "direct.caller",
                        1L,
                        "count",
                        "A buffer was requested at the limit by " + maker + ".");
                break;
            }
        }
        List<Tick> ticks = s.timeline().ticks();
        long from =
                isStuck ? firstAtLimit(ticks, s.settings().maxDirect()).atMillis() : rise.from();
        return finding.window(from, last.atMillis())
                .sites(NamedSites.owning(OffHeap.owners(s.sites()), "the direct memory"))
                .callers(ExplicitCalls.of(s).ofBuffers())
                .advice(
                        Advice.Kind.CODE,
                        "Find the code that keeps the buffers, and release or reuse them. A higher"
                                + " limit helps only if all of them are needed.")
                .refutedBy("They fall when a collection takes place.")
                .fired();
    }

    private static String maker(JvmEvent event) {
        boolean isBuffers = false;
        for (String frame : event.stack()) {
            isBuffers |= frame.startsWith("java.nio.Bits.");
            boolean isJdk = LibraryCode.isOfJdk(frame);
            if (isBuffers && !isJdk) {
                return frame;
            }
        }
        return "";
    }
}
