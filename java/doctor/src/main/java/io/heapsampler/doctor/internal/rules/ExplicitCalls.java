// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The recent calls of {@code System.gc()}, and the rules about them, by caller. */
public final class ExplicitCalls {

    /**
     * The type of an event that says that the thread of RMI exists that calls {@code System.gc()}
     * when the last collection of the whole heap was {@code interval} milliseconds ago.
     */
    public static final String RMI = "RmiGcDaemon";

    private static final int EVENTS = 3;
    private static final int MANY_PER_MINUTE = 10;

    /** So much of what direct buffers may take makes it likely that they asked. */
    private static final double MUCH_DIRECT = 0.5;

    /** The same of a pool that is full, and by which it falls when buffers are given back. */
    private static final double NEARLY_FULL = 0.9;

    private static final double MOVED = 0.125;

    /** The tolerance between the clocks of events and of collections. */
    private static final long CLOCKS_MILLIS = 2;

    /** Calls that follow each other faster than this share of RMI's interval are not RMI's. */
    private static final double OF_INTERVAL = 0.9;

    private static final int FRAMES = 3;
    private static final int CALLERS = 3;

    /** The application, a library or RMI calls {@code System.gc()}. */
    static final TableRule EXPLICIT =
            new TableRule(
                    """
                    gc.explicit
                    quiet Of {all collection|collections} by System.gc() {buffers} were the JDK's \
                    own, for direct memory; {explicit.count} remain, and it takes 3.
                    title?all.rmi RMI called System.gc() {explicit.rmi time|times}
                    title System.gc() was called {explicit.count time|times}
                    explicit.count {minute call|calls} in the worst minute, which stood still for \
                    {share} of the time for it.
                    explicit.caller?explicit.caller Called from {place}.
                    explicit.caller!explicit.caller The caller is unknown: HeapSampler sees \
                    callers only if it is loaded before the first call. Start it earlier, such as \
                    with -javaagent.
                    explicit.rmi {explicit.rmi call is|calls are} of RMI{every}; its interval is \
                    sun.rmi.dgc.server.gcInterval.
                    every?gap , about every {gap}
                    explicit.freed Each of them freed {explicit.freed} on average, which the next \
                    collection would have freed anyway.
                    FLAG?most.rmi Set -Dsun.rmi.dgc.server.gcInterval and \
                    -Dsun.rmi.dgc.client.gcInterval to more milliseconds; the default is 3600000. \
                    RMI needs a collection now and then to find remote objects that are no longer \
                    used.
                    at?place  at {place}
                    CODE!most.rmi Remove the call{at}. Do not forbid all of them by a flag: the \
                    JDK needs its own to get direct memory back.
                    wrong?explicit.caller Without the calls{at} as many collections have the \
                    cause System.gc().
                    wrong!explicit.caller A stack dump during such a collection shows \
                    java.nio.Bits as the caller.
                    """,
                    (s, facts) -> new ExplicitCalls(s).explicit(facts));

    /**
     * Direct buffers reach their limit, and the JDK requests collections to free them. This works
     * unless explicit collections are disabled.
     */
    static final TableRule DIRECT_PRESSURE =
            new TableRule(
                    """
                    direct.pressure
                    quiet Direct buffers took at most {direct.max} of {limit}, and the JDK \
                    requested {buffers collection|collections} for them.
                    title?forbidden Direct buffers fill up, and explicit collections are forbidden
                    title Direct buffers came near their limit, and the JDK collected {buffers \
                    time|times} for them
                    direct.max?forbidden {direct.max} of {limit} were in use. The JDK calls \
                    System.gc() when the limit is reached. With -XX:+DisableExplicitGC this call \
                    has no effect, and the allocation fails with OutOfMemoryError even if most \
                    buffers are garbage.
                    direct.max!forbidden {direct.max} of {limit} were in use.
                    direct.collections The JDK called System.gc() {buffers time|times} to free \
                    buffers that are no longer in use.
                    FLAG?forbidden Take -XX:+DisableExplicitGC away: the JDK needs its own \
                    collections to get direct memory back.
                    CODE!forbidden If these collections matter, use direct buffers again instead \
                    of making new ones.
                    wrong?forbidden The buffers are all in use: then it is a leak, or the limit is \
                    too low.
                    wrong!forbidden Direct memory does not fall after these collections: then it \
                    leaks.
                    """,
                    (s, facts) -> new ExplicitCalls(s).pressure(facts));

    private final Situation s;

    /** Collections that only an explicit call caused, one for each call. */
    private final List<GcEvent> collections;

    private final List<JvmEvent> ofBuffers = new ArrayList<>();
    private final Map<List<String>, Long> stacksOfBuffers = new HashMap<>();

    /** Of all other calls. */
    private final Map<List<String>, Long> stacks = new HashMap<>();

    private final Map<String, Integer> places = new HashMap<>();
    private final List<Long> rmiTimes = new ArrayList<>();

    /** Ticks at which direct buffers had much of their limit. */
    private final List<Tick> muchDirect = new ArrayList<>();

    /** Whether they came near it, or fell by much: else no call was for them. */
    private boolean isDirectMoved;

    private int byBuffers;
    private int byRmi;

    private ExplicitCalls(Situation s) {
        this.s = s;
        List<GcEvent> all = s.cycles(Causes::isExplicit);
        List<GcEvent> whole = all.stream().filter(c -> c.kind().isOld()).toList();
        collections = whole.isEmpty() ? all : whole;
        double limit = (double) s.settings().maxDirect();
        long most = 0;
        for (Tick tick : s.ticks()) {
            long used = tick.directUsed();
            most = Math.max(most, used);
            isDirectMoved |= used >= NEARLY_FULL * limit || most - used >= MOVED * limit;
            if (tick.directUsed() > MUCH_DIRECT * s.settings().maxDirect()) {
                muchDirect.add(tick);
            }
        }
        List<JvmEvent> events = s.events("SystemGC");
        events.forEach(this::add);
        byBuffers = ofBuffers.size();
        byRmi = rmiTimes.size();
        int unknown = collections.size() - events.size();
        if (unknown > 0 && !events.isEmpty()) { // As those that are known.
            byBuffers += unknown * byBuffers / events.size();
            byRmi += unknown * byRmi / events.size();
        } else if (unknown > 0) {
            if (!muchDirect.isEmpty() && isDirectMoved) {
                byBuffers += unknown;
            } else if (isOfRmi()) {
                byRmi += unknown;
                collections.forEach(c -> rmiTimes.add(c.atMillis()));
            }
        }
        byBuffers = Math.min(byBuffers, collections.size());
        byRmi = Math.min(byRmi, others());
    }

    private void add(JvmEvent event) {
        List<String> caller =
                event.stack().stream()
                        .filter(frame -> !frame.startsWith("java.lang.System.gc"))
                        .filter(frame -> !frame.startsWith("java.lang.Runtime.gc"))
                        .toList();
        if (has(caller, "java.nio.Bits.reserveMemory")) {
            ofBuffers.add(event);
            stacksOfBuffers.merge(caller, 1L, Long::sum);
            return;
        }
        stacks.merge(caller, 1L, Long::sum);
        if (has(caller, "sun.rmi.transport.GC$Daemon.")) {
            rmiTimes.add(event.atMillis());
        } else {
            int own = 0;
            while (own < caller.size() && LibraryCode.isOfJdk(caller.get(own))) {
                own++;
            }
            own = own == caller.size() ? 0 : own;
            List<String> first = caller.subList(own, Math.min(own + FRAMES, caller.size()));
            String place = first.isEmpty() ? "an unknown place" : String.join(" ← ", first);
            places.merge(place, 1, Integer::sum);
        }
    }

    private static boolean has(List<String> stack, String part) {
        return stack.stream().anyMatch(frame -> frame.contains(part));
    }

    private boolean isOfRmi() {
        List<JvmEvent> seen = s.events(RMI);
        if (seen.isEmpty()) {
            return false;
        }
        String interval = seen.get(seen.size() - 1).values().getOrDefault("interval", "0");
        double every = every(collections.stream().map(GcEvent::atMillis).toList());
        return every > 0 && every >= OF_INTERVAL * Long.parseLong(interval);
    }

    /** The median time from one to the next, in milliseconds; 0 if there are fewer than two. */
    private static double every(List<Long> times) {
        double[] gaps = new double[Math.max(times.size() - 1, 0)];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = (double) (times.get(i + 1) - times.get(i));
        }
        return Trend.of(gaps).median();
    }

    /** Calls that the JDK did not make to free direct memory. */
    private int others() {
        return collections.size() - byBuffers;
    }

    private void explicit(Facts f) {
        f.count("all", collections.size()).count("buffers", byBuffers);
        f.count("explicit.count", others());
        List<GcEvent> counted = collections.stream().filter(c -> !isOfBuffers(c)).toList();
        int minute = Math.min(s.worstMinute(counted, c -> 1).count(), others());
        double share = s.worstPauseShare(counted);
        boolean isCostly = minute >= EVENTS && share > 1 - s.slo().throughputMin();
        if (!f.fires(others() >= EVENTS, isCostly || minute >= MANY_PER_MINUTE)) {
            return;
        }
        f.during(counted, List.of()).count("minute", minute).share("share", share);
        var top = places.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);
        int most = top == null ? 0 : top.getValue();
        f.callers(most(stacks)).text("place", top == null ? "" : top.getKey());
        if (most > 0 || byRmi < others()) {
            f.count("explicit.caller", most);
        }
        if (byRmi > 0) {
            f.count("explicit.rmi", byRmi).span("gap", every(rmiTimes));
            f.is("all.rmi", byRmi == others()).is("most.rmi", 2 * byRmi > others());
        }
        counted.stream()
                .filter(c -> c.heapBefore() > 0 && c.heapAfter() >= 0)
                .mapToLong(c -> Math.max(c.heapBefore() - c.heapAfter(), 0))
                .average()
                .ifPresent(freed -> f.bytes("explicit.freed", freed));
    }

    /** Returns whether an event says so. */
    private boolean isOfBuffers(GcEvent c) {
        return ofBuffers.stream()
                .filter(call -> c.atMillis() >= call.atMillis() - CLOCKS_MILLIS)
                .anyMatch(
                        call ->
                                c.atMillis()
                                        <= call.atMillis() + call.durationMillis() + CLOCKS_MILLIS);
    }

    private void pressure(Facts f) {
        long most = s.ticks().stream().mapToLong(Tick::directUsed).max().orElse(0);
        boolean isForbidden = s.settings().isOn("DisableExplicitGC") && !muchDirect.isEmpty();
        f.is("forbidden", isForbidden).count("buffers", byBuffers);
        f.bytes("direct.max", Math.max(most, 0)).bytes("limit", s.settings().maxDirect());
        if (!f.fires(isForbidden || byBuffers >= EVENTS, isForbidden)) {
            return;
        }
        if (isForbidden) {
            Tick last = muchDirect.get(muchDirect.size() - 1);
            f.window(muchDirect.get(0).atMillis(), last.atMillis());
        } else {
            boolean isSeen = byBuffers <= ofBuffers.size();
            f.during(isSeen ? List.of() : collections, ofBuffers);
            f.count("direct.collections", byBuffers).callers(most(stacksOfBuffers));
        }
        f.sites(NamedSites.owning(SiteFigures.owners(s.sites()), "the direct memory"));
    }

    /** The most frequent callers, the most calls first. */
    private static List<CallerEvidence> most(Map<List<String>, Long> stacks) {
        return stacks.entrySet().stream()
                .filter(each -> !each.getKey().isEmpty())
                .map(each -> new CallerEvidence("System.gc()", each.getKey(), each.getValue()))
                .sorted(
                        Comparator.comparingLong(CallerEvidence::count)
                                .reversed()
                                .thenComparing(each -> each.stack().toString()))
                .limit(CALLERS)
                .toList();
    }
}
