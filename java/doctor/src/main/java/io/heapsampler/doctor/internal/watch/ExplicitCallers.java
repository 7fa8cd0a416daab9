// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.VmClock;
import io.heapsampler.internal.shared.GcCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Adds the calls of {@code System.gc()} since the last time, with their callers. Not safe for use
 * by many threads.
 */
public final class ExplicitCallers implements Runnable {

    private final GcCalls calls = new GcCalls();
    private final History history;
    private final VmClock clock;

    public ExplicitCallers(History history, VmClock clock) {
        this.history = history;
        this.clock = clock;
    }

    @Override
    public void run() {
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
}
