// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * java-allocation-instrumenter, which rewrites every allocation in every class and cannot be switched
 * off again. Its samplers see each object; this one keeps the stack of one object in this many bytes.
 */
final class InstrumenterTool {

    /** Bytes between two samples; the agent must have been named to the JVM. */
    static final String PROPERTY = "bench.instrumenter";

    private static final int TRACKED = 10_000;

    private final int interval;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long bytes;
    private static volatile long count;

    private record Sample(WeakReference<Object> object, Throwable stack) {}

    private InstrumenterTool(int interval) {
        this.interval = interval;
    }

    static void startIfAsked() {
        int interval = Integer.getInteger(PROPERTY, 0);
        if (interval > 0) {
            InstrumenterTool tool = new InstrumenterTool(interval);
            AllocationRecorder.addSampler((length, name, object, size) -> tool.see(object, size));
        }
    }

    /** Samples so far. */
    static long samples() {
        return count;
    }

    private synchronized void see(Object object, long size) {
        bytes += size;
        if (bytes >= interval) {
            bytes -= interval;
            count++;
            samples.add(new Sample(new WeakReference<>(object), new Throwable()));
            if (samples.size() > TRACKED) {
                samples.remove();
            }
        }
    }
}
