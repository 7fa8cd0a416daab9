// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The recent calls of {@code System.gc()}, told apart by who called. */
final class ExplicitCalls {

    /** Events of Flight Recorder come a little later than notifications. */
    private static final long LATE_MILLIS = 3_000;

    /** So much of what direct buffers may take makes it likely that they asked. */
    private static final double MUCH_DIRECT = 0.5;

    private static final int FRAMES = 3;

    /** Collections that nobody but an explicit call made, one for each call. */
    final List<Collection> collections;

    /** Of these, how many were asked for by the JDK to get direct memory back. */
    final int byBuffers;

    /** How many were asked for by the distributed collector of RMI. */
    final int byRmi;

    private final Map<String, Integer> callers;

    private ExplicitCalls(
            List<Collection> collections, int byBuffers, int byRmi, Map<String, Integer> callers) {
        this.collections = collections;
        this.byBuffers = byBuffers;
        this.byRmi = byRmi;
        this.callers = callers;
    }

    static ExplicitCalls of(Situation s) {
        List<Collection> all =
                s.recent(
                        c ->
                                Causes.isExplicit(c.cause())
                                        && c.kind() != CollectionKind.PHASE_PAUSE);
        List<Collection> whole = all.stream().filter(c -> c.kind().isOld()).toList();
        List<Collection> calls = whole.isEmpty() ? all : whole;
        List<JvmEvent> events = s.events("SystemGC");
        int buffers = 0;
        int rmi = 0;
        Map<String, Integer> callers = new HashMap<>();
        for (JvmEvent event : events) {
            if (has(event, "java.nio.Bits.reserveMemory")) {
                buffers++;
            } else if (has(event, "sun.rmi.transport.")) {
                rmi++;
            } else {
                callers.merge(caller(event), 1, Integer::sum);
            }
        }
        int unknown = calls.size() - events.size();
        if (unknown > 0 && isDirectFull(s) && callers.isEmpty()) {
            buffers += unknown;
        }
        return new ExplicitCalls(calls, Math.min(buffers, calls.size()), rmi, callers);
    }

    private static boolean has(JvmEvent event, String part) {
        return event.stack().stream().anyMatch(frame -> frame.contains(part));
    }

    /** The first frames that are not the JDK's call itself. */
    private static String caller(JvmEvent event) {
        List<String> frames = new ArrayList<>();
        for (String frame : event.stack()) {
            boolean isCall =
                    frame.startsWith("java.lang.System.gc")
                            || frame.startsWith("java.lang.Runtime.gc");
            if (!isCall && frames.size() < FRAMES) {
                frames.add(frame);
            }
        }
        return frames.isEmpty() ? "an unknown place" : String.join(" ← ", frames);
    }

    private static boolean isDirectFull(Situation s) {
        double limit = MUCH_DIRECT * s.settings().maxDirect();
        return s.ticks().stream().anyMatch(t -> t.directUsed() > limit);
    }

    /** Calls of the application's, and those of whom nothing is known. */
    int byApplication() {
        return Math.max(collections.size() - byBuffers - byRmi, 0);
    }

    /** Who called most; empty if Flight Recorder has told of none. */
    String topCaller() {
        return callers.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("");
    }

    /** Calls of that one, as far as they were told. */
    int topCalls() {
        return callers.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** Is a recent collection still without its event, which would name the caller? */
    boolean isUndecided(Situation s) {
        return callers.isEmpty()
                && isDirectFull(s)
                && !collections.isEmpty()
                && collections.get(collections.size() - 1).atMillis() > s.to() - LATE_MILLIS;
    }
}
