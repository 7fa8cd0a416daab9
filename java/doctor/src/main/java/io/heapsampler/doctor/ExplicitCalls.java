// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.internal.shared.LibraryCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The recent calls of {@code System.gc()}, and the rules about them, by caller. */
final class ExplicitCalls {

    private static final String BUFFERS = "java.nio.Bits.reserveMemory";
    private static final String RMI_DAEMON = "sun.rmi.transport.GC$Daemon.";

    /** So much of what direct buffers may take makes it likely that they asked. */
    private static final double MUCH_DIRECT = 0.5;

    /** The same of a pool that is full, and by which it falls when buffers are given back. */
    private static final double NEARLY_FULL = 0.9;

    private static final double MOVED = 0.125;

    /** The tolerance between the clocks of events and of collections. */
    private static final long CLOCKS_MILLIS = 2;

    private static final int FRAMES = 3;
    private static final int CALLERS = 3;

    private final Situation s;

    /** Collections that only an explicit call caused, one for each call. */
    private final List<GcEvent> collections;

    /** Calls that were seen: the JDK's own, for direct memory, and all others. */
    private final List<JvmEvent> ofBuffers = new ArrayList<>();

    private final List<JvmEvent> ofOthers = new ArrayList<>();

    /** Ticks at which direct buffers had much of their limit. */
    private final List<Tick> muchDirect;

    private int byBuffers;
    private int byRmi;

    private ExplicitCalls(Situation s) {
        this.s = s;
        List<GcEvent> all = s.cycles(Causes::isExplicit);
        List<GcEvent> whole = all.stream().filter(c -> c.kind().isOld()).toList();
        collections = whole.isEmpty() ? all : whole;
        double much = MUCH_DIRECT * s.settings().maxDirect();
        muchDirect = s.ticks().stream().filter(tick -> tick.directUsed() > much).toList();
        for (JvmEvent call : s.events("SystemGC")) {
            (has(call, BUFFERS) ? ofBuffers : ofOthers).add(call);
            byRmi += has(call, RMI_DAEMON) ? 1 : 0;
        }
        byBuffers = ofBuffers.size();
        int seen = ofBuffers.size() + ofOthers.size();
        int unknown = collections.size() - seen;
        if (unknown > 0 && seen > 0) { // As those that are known.
            byBuffers += unknown * byBuffers / seen;
            byRmi += unknown * byRmi / seen;
        } else if (unknown > 0 && isOfBuffers()) {
            byBuffers = unknown;
        }
        byBuffers = Math.min(byBuffers, collections.size());
        byRmi = Math.min(byRmi, others());
    }

    private static boolean has(JvmEvent call, String part) {
        return call.stack().stream().anyMatch(frame -> frame.contains(part));
    }

    private static List<String> caller(JvmEvent call) {
        return call.stack().stream()
                .filter(frame -> !frame.startsWith("java.lang.System.gc"))
                .filter(frame -> !frame.startsWith("java.lang.Runtime.gc"))
                .toList();
    }

    /** Were calls that nothing saw for buffers, which came near their limit, or fell by much? */
    private boolean isOfBuffers() {
        double limit = (double) s.settings().maxDirect();
        double most = 0;
        boolean hasMoved = false;
        for (Tick tick : s.ticks()) {
            double used = (double) tick.directUsed();
            most = Math.max(most, used);
            hasMoved |= used >= NEARLY_FULL * limit || most - used >= MOVED * limit;
        }
        return hasMoved && !muchDirect.isEmpty();
    }

    /** Calls that the JDK did not make to free direct memory. */
    private int others() {
        return collections.size() - byBuffers;
    }

    /** The application, a library or RMI calls {@code System.gc()}. */
    static void explicit(Situation s, Facts f) {
        new ExplicitCalls(s).explicit(f);
    }

    private void explicit(Facts f) {
        f.count("all", collections.size()).count("buffers", byBuffers);
        f.count("explicit.count", others());
        List<GcEvent> counted = collections.stream().filter(c -> !isOfBuffers(c)).toList();
        int minute = Math.min(s.worstMinute(counted, c -> 1).count(), others());
        double share = s.worstPauseShare(counted);
        boolean isCostly = minute >= CollectorRules.EVENTS && share > s.pauseShareMax();
        boolean isHarm = isCostly || minute >= CollectorRules.MANY_PER_MINUTE;
        if (!f.fires(others() >= CollectorRules.EVENTS, isHarm)) {
            return;
        }
        f.during(counted, List.of()).count("minute", minute).share("share", share);
        f.callers(callers(ofOthers)).is("known", byRmi > 0 || !f.callers.isEmpty());
        Map<String, Long> places = new HashMap<>();
        ofOthers.stream()
                .filter(call -> !has(call, RMI_DAEMON))
                .forEach(call -> places.merge(place(caller(call)), 1L, Long::sum));
        var top = places.entrySet().stream().max(Map.Entry.comparingByValue());
        f.text("place", top.map(Map.Entry::getKey).orElse(""));
        if (top.isPresent() || byRmi < others()) {
            f.count("explicit.caller", top.map(Map.Entry::getValue).orElse(0L));
        }
        if (byRmi > 0) {
            f.count("explicit.rmi", byRmi);
            f.is("all.rmi", byRmi == others()).is("most.rmi", 2 * byRmi > others());
        }
    }

    /** The first frames outside of the JDK, or all if there are none. */
    private static String place(List<String> stack) {
        int own = 0;
        while (own < stack.size() && LibraryCode.isOfJdk(stack.get(own))) {
            own++;
        }
        own = own == stack.size() ? 0 : own;
        List<String> first = stack.subList(own, Math.min(own + FRAMES, stack.size()));
        return first.isEmpty() ? "an unknown place" : String.join(" ← ", first);
    }

    /** Returns whether an event says so. */
    private boolean isOfBuffers(GcEvent c) {
        boolean isFound = false;
        for (JvmEvent call : ofBuffers) {
            isFound |= call.contains(c, CLOCKS_MILLIS);
        }
        return isFound;
    }

    /**
     * Direct buffers reach their limit, and the JDK requests collections to free them. This works
     * unless explicit collections are disabled.
     */
    static void pressure(Situation s, Facts f) {
        new ExplicitCalls(s).pressure(f);
    }

    private void pressure(Facts f) {
        long most = s.ticks().stream().mapToLong(Tick::directUsed).max().orElse(0);
        boolean isForbidden = s.settings().isOn("DisableExplicitGC") && !muchDirect.isEmpty();
        f.is("forbidden", isForbidden).count("buffers", byBuffers);
        f.bytes("direct.max", Math.max(most, 0)).bytes("limit", s.settings().maxDirect());
        if (!f.fires(isForbidden || byBuffers >= CollectorRules.EVENTS, isForbidden)) {
            return;
        }
        if (isForbidden) {
            Tick last = muchDirect.get(muchDirect.size() - 1);
            f.window(muchDirect.get(0).atMillis(), last.atMillis());
        } else {
            boolean isSeen = byBuffers <= ofBuffers.size();
            f.during(isSeen ? List.of() : collections, ofBuffers);
            f.count("direct.collections", byBuffers).callers(callers(ofBuffers));
        }
        f.sites(NamedSites.owners(s, "the direct memory"));
    }

    private static List<CallerEvidence> callers(List<JvmEvent> calls) {
        return most(calls, "System.gc()", ExplicitCalls::caller);
    }

    /** The threads that ran native code, by the method that was called. */
    static List<CallerEvidence> ofNative(Situation s) {
        return most(s.events(JvmEvent.NATIVE_CALL), "", JvmEvent::stack);
    }

    /**
     * The most frequent callers, the most calls first.
     *
     * @param called what they call; empty if their first frames do
     */
    private static List<CallerEvidence> most(
            List<JvmEvent> calls, String called, Function<JvmEvent, List<String>> caller) {
        return calls.stream()
                .map(caller)
                .filter(stack -> !stack.isEmpty())
                .collect(Collectors.groupingBy(stack -> stack, Collectors.counting()))
                .entrySet()
                .stream()
                .map(each -> evidence(called, each.getKey(), each.getValue()))
                .sorted(
                        Comparator.comparingLong(CallerEvidence::count)
                                .reversed()
                                .thenComparing(each -> each.stack().toString()))
                .limit(CALLERS)
                .toList();
    }

    private static CallerEvidence evidence(String called, List<String> stack, long count) {
        int first = called.isEmpty() && stack.size() > 1 ? 1 : 0;
        String name = called.isEmpty() ? stack.get(0) : called;
        return new CallerEvidence(name, stack.subList(first, stack.size()), count);
    }
}
