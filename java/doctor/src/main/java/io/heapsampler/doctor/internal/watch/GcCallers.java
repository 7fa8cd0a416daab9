// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.rules.ExplicitCalls;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.VmClock;
import io.heapsampler.internal.shared.GcCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes events of calls of {@code System.gc()}. Not safe for use by many threads. */
public final class GcCallers {

    private static final String DAEMON = "RMI GC Daemon";
    private static final String GROUP = "InnocuousThreadGroup"; // The JDK's own.
    private static final long DEFAULT_MILLIS = 3_600_000;

    private final GcCalls calls = new GcCalls();
    private final History history;
    private final VmClock clock;

    public GcCallers(History history, VmClock clock) {
        this.history = history;
        this.clock = clock;
    }

    /** Adds the calls since the last time, with their callers. */
    public void readCalls() {
        while (calls.advance()) {
            long at = clock.now() - calls.agoMicros() / 1_000;
            double millis = calls.tookMicros() / 1e3;
            List<String> stack = new ArrayList<>();
            for (String frame : calls.stack()) {
                stack.add(history.name(frame));
            }
            history.add(new JvmEvent("SystemGC", at, millis, Map.of(), stack));
        }
    }

    /**
     * Adds an event if RMI's thread exists that calls {@code System.gc()} at an interval, because
     * the library does not see its calls if it was loaded after the first one.
     */
    public void lookForRmi() {
        ThreadGroup system = Thread.currentThread().getThreadGroup();
        while (system.getParent() != null) {
            system = system.getParent();
        }
        Thread[] threads = new Thread[system.activeCount() + 16]; // Some may begin meanwhile.
        int count = system.enumerate(threads);
        for (int i = 0; i < count; i++) {
            ThreadGroup group = threads[i].getThreadGroup();
            if (threads[i].getName().equals(DAEMON)
                    && group != null
                    && group.getName().equals(GROUP)) {
                Map<String, String> values = Map.of("interval", String.valueOf(intervalMillis()));
                history.add(new JvmEvent(ExplicitCalls.RMI, clock.now(), 0, values, List.of()));
            }
        }
    }

    /** Whichever is shorter: it is one thread for exported objects and for remote ones in use. */
    private static long intervalMillis() {
        return Math.min(
                Long.getLong("sun.rmi.dgc.server.gcInterval", DEFAULT_MILLIS),
                Long.getLong("sun.rmi.dgc.client.gcInterval", DEFAULT_MILLIS));
    }
}
