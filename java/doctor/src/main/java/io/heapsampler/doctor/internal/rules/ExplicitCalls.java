// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The recent calls of {@code System.gc()}, by caller. */
final class ExplicitCalls {

    /** So much of what direct buffers may take makes it likely that they asked. */
    private static final double MUCH_DIRECT = 0.5;

    private static final int FRAMES = 3;

    /** Collections that only an explicit call caused, one for each call. */
    final List<GcEvent> collections;

    /** The number of them that the JDK requested to free direct memory. */
    final int byBuffers;

    /** The number of them that the distributed collector of RMI requested. */
    final int byRmi;

    /** By the text of their first frames. */
    private final Map<String, Integer> callers;

    private final List<CallerEvidence> ofApplication;
    private final List<CallerEvidence> ofBuffers;
    private final List<JvmEvent> eventsOfBuffers;

    private ExplicitCalls(
            List<GcEvent> collections,
            int byBuffers,
            int byRmi,
            List<JvmEvent> eventsOfBuffers,
            Seen application,
            Seen own) {
        this.collections = collections;
        this.eventsOfBuffers = eventsOfBuffers;
        this.byBuffers = byBuffers;
        this.byRmi = byRmi;
        this.callers = application.byText;
        this.ofApplication = application.callers.most();
        this.ofBuffers = own.callers.most();
    }

    /** Calls that were seen, by where they came from. */
    private static final class Seen {
        final Map<String, Integer> byText = new HashMap<>();
        final Callers callers = new Callers("System.gc()");

        void add(List<String> stack) {
            byText.merge(text(stack), 1, Integer::sum);
            callers.add(stack);
        }

        private static String text(List<String> stack) {
            return stack.isEmpty()
                    ? "an unknown place"
                    : String.join(" ← ", stack.subList(0, Math.min(FRAMES, stack.size())));
        }
    }

    static ExplicitCalls of(Situation s) {
        List<GcEvent> all =
                s.recent(
                        c ->
                                Causes.isExplicit(c.cause())
                                        && c.kind() != CollectionKind.PHASE_PAUSE);
        List<GcEvent> whole = all.stream().filter(c -> c.kind().isOld()).toList();
        List<GcEvent> calls = whole.isEmpty() ? all : whole;
        List<JvmEvent> events = s.events("SystemGC");
        List<JvmEvent> ofBuffers = new ArrayList<>();
        int rmi = 0;
        Seen application = new Seen();
        Seen own = new Seen();
        for (JvmEvent event : events) {
            if (has(event, "java.nio.Bits.reserveMemory")) {
                ofBuffers.add(event);
                own.add(caller(event));
            } else if (has(event, "sun.rmi.transport.")) {
                rmi++;
            } else {
                application.add(caller(event));
            }
        }
        int buffers = ofBuffers.size();
        int unknown = calls.size() - events.size();
        if (unknown > 0 && isDirectFull(s) && application.byText.isEmpty()) {
            buffers += unknown;
        }
        return new ExplicitCalls(
                calls, Math.min(buffers, calls.size()), rmi, ofBuffers, application, own);
    }

    private static boolean has(JvmEvent event, String part) {
        return event.stack().stream().anyMatch(frame -> frame.contains(part));
    }

    /** The frames without those of the call itself. */
    private static List<String> caller(JvmEvent event) {
        return event.stack().stream()
                .filter(
                        frame ->
                                !frame.startsWith("java.lang.System.gc")
                                        && !frame.startsWith("java.lang.Runtime.gc"))
                .toList();
    }

    private static boolean isDirectFull(Situation s) {
        double limit = MUCH_DIRECT * s.settings().maxDirect();
        for (Tick tick : s.ticks()) {
            if (tick.directUsed() > limit) {
                return true;
            }
        }
        return false;
    }

    /** Calls of the application's, and those of whom nothing is known. */
    int byApplication() {
        return Math.max(collections.size() - byBuffers - byRmi, 0);
    }

    /** Returns the application's callers by whole stacks, the most calls first. */
    List<CallerEvidence> ofApplication() {
        return ofApplication;
    }

    /** Returns the callers that made direct buffers at the limit, the most calls first. */
    List<CallerEvidence> ofBuffers() {
        return ofBuffers;
    }

    /** The calls for buffers that were seen. */
    List<JvmEvent> eventsOfBuffers() {
        return eventsOfBuffers;
    }

    /** Collections that are taken for the buffers' without having been seen; all, or none. */
    List<GcEvent> collectionsOfBuffers() {
        return byBuffers > eventsOfBuffers.size() ? collections : List.of();
    }

    /** Returns the most frequent caller; empty if Flight Recorder has reported none. */
    String topCaller() {
        return callers.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("");
    }

    /** Returns the number of reported calls of the most frequent caller. */
    int topCalls() {
        return callers.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }
}
