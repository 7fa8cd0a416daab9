// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.ArrayList;
import java.util.List;

/**
 * Direct buffers reach their limit, and the JDK requests collections to free them. This works
 * unless explicit collections are disabled.
 */
public final class DirectPressure implements Rule {

    private static final int EVENTS = 3;
    private static final double MUCH = 0.5;

    @Override
    public String id() {
        return "direct.pressure";
    }

    @Override
    public Verdict judge(Situation s) {
        long most = 0;
        long limit = s.settings().maxDirect();
        List<Tick> much = new ArrayList<>();
        for (Tick tick : s.ticks()) {
            most = Math.max(most, tick.directUsed());
            if (tick.directUsed() > MUCH * limit) {
                much.add(tick);
            }
        }
        if (s.settings().isOn("DisableExplicitGC") && !much.isEmpty()) {
            return forbidden(s, most, much);
        }
        ExplicitCalls calls = ExplicitCalls.of(s);
        if (calls.byBuffers < EVENTS) {
            return Verdict.quiet(
                    this,
                    "Direct buffers took at most "
                            + Text.bytes(most)
                            + " of "
                            + Text.bytes(limit)
                            + ", and the JDK requested "
                            + Text.count(calls.byBuffers, "collection", "collections")
                            + " for them.");
        }
        return new FindingBuilder(
                        this,
                        s,
                        Severity.INFO,
                        "Direct buffers reached their limit, and "
                                + Text.count(calls.byBuffers, "collection", "collections")
                                + " gave them back")
                .evidence(
                        "direct.max",
                        most,
                        "bytes",
                        Text.bytes(most) + " of " + Text.bytes(limit) + " were in use.")
                .evidence(
                        "direct.collections",
                        calls.byBuffers,
                        "count",
                        "The JDK called System.gc() "
                                + Text.count(calls.byBuffers, "time", "times")
                                + " to free buffers that are no longer in use.")
                .during(calls.collectionsOfBuffers(), calls.eventsOfBuffers())
                .callers(calls.ofBuffers())
                .advice(
                        Advice.Kind.CODE,
                        "If these collections matter, use direct buffers again instead of making"
                                + " new ones.")
                .refutedBy("Direct memory does not fall after these collections: then it leaks.")
                .fired();
    }

    private Verdict forbidden(Situation s, long most, List<Tick> much) {
        return new FindingBuilder(
                        this,
                        s,
                        Severity.WARNING,
                        "Direct buffers fill up, and explicit collections are forbidden")
                .window(much.get(0).atMillis(), much.get(much.size() - 1).atMillis())
                .evidence(
                        "direct.max",
                        most,
                        "bytes",
                        Text.bytes(most)
                                + " of "
                                + Text.bytes(s.settings().maxDirect())
                                + " were in use. The JDK calls System.gc() when the limit is"
                                + " reached. With -XX:+DisableExplicitGC this call has no effect,"
                                + " and the allocation fails with OutOfMemoryError even if most"
                                + " buffers are garbage.")
                .advice(
                        Advice.Kind.FLAG,
                        "Take -XX:+DisableExplicitGC away: the JDK needs its own collections to"
                                + " get direct memory back.")
                .refutedBy(
                        "The buffers are all in use: then it is a leak, or the limit is too low.")
                .fired();
    }
}
