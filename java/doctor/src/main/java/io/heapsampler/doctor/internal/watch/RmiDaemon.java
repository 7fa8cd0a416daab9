// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.rules.ExplicitCalls;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Adds an event if RMI's thread exists that calls {@code System.gc()} at an interval, because the
 * library does not see its calls if it was loaded after the first one. Not safe for use by many
 * threads.
 */
public final class RmiDaemon implements Runnable {

    private static final String NAME = "RMI GC Daemon";
    private static final String GROUP = "InnocuousThreadGroup";
    private static final long DEFAULT_MILLIS = 3_600_000;

    private final History history;
    private final VmClock clock;

    public RmiDaemon(History history, VmClock clock) {
        this.history = history;
        this.clock = clock;
    }

    @Override
    public void run() {
        if (exists()) {
            Map<String, String> values = Map.of("interval", String.valueOf(intervalMillis()));
            history.add(new JvmEvent(ExplicitCalls.RMI, clock.now(), 0, values, List.of()));
        }
    }

    /** It is in a group of the JDK's own below that of the system. */
    static boolean exists() {
        ThreadGroup system = Thread.currentThread().getThreadGroup();
        while (system.getParent() != null) {
            system = system.getParent();
        }
        ThreadGroup[] groups = new ThreadGroup[system.activeGroupCount() + 1];
        for (ThreadGroup group : Arrays.copyOf(groups, system.enumerate(groups, false))) {
            Thread[] threads =
                    new Thread[group.getName().equals(GROUP) ? group.activeCount() + 1 : 0];
            for (Thread thread : Arrays.copyOf(threads, group.enumerate(threads, false))) {
                if (thread.getName().equals(NAME)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whichever is shorter: it is one thread for exported objects and for remote ones in use. */
    private static long intervalMillis() {
        return Math.min(
                Long.getLong("sun.rmi.dgc.server.gcInterval", DEFAULT_MILLIS),
                Long.getLong("sun.rmi.dgc.client.gcInterval", DEFAULT_MILLIS));
    }
}
