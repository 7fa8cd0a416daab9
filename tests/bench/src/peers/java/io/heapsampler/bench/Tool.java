// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.Locale;

/** A way to sample allocations, which can be switched on and off at run time. */
interface Tool {

    /** The tools by name. */
    enum Kind {
        /** Nothing is sampled. */
        OFF,
        /** An empty callback. */
        EMPTY,
        /** The minimal agent. */
        MINIMAL,
        /** async-profiler: allocations. */
        ASYNC_ALLOC,
        /** async-profiler: allocations and which of them live. */
        ASYNC_LIVE,
        /** ddprof: which allocations live. */
        DDPROF_LIVE,
        /** JFR: ObjectAllocationSample, throttled as by default. */
        JFR_ALLOC,
        /** JFR: OldObjectSample. */
        JFR_OLD,
        /** HeapSampler. */
        OURS;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind of(String label) {
            return valueOf(label.toUpperCase(Locale.ROOT));
        }

        /** Returns whether it can run in this JVM: ddprof 1.22 crashes when it stops in JDK 25. */
        boolean isUsable() {
            return this != DDPROF_LIVE || Runtime.version().feature() < 25;
        }

        /** Loads it; does not sample yet. */
        Tool create() throws Exception {
            return switch (this) {
                case OFF -> new NoTool();
                case EMPTY -> new NativeTool(NativeTools.EMPTY);
                case MINIMAL -> new NativeTool(NativeTools.MINIMAL);
                case ASYNC_ALLOC -> new AsyncProfilerTool(false);
                case ASYNC_LIVE -> new AsyncProfilerTool(true);
                case DDPROF_LIVE -> new DdprofTool();
                case JFR_ALLOC -> new JfrTool("jdk.ObjectAllocationSample");
                case JFR_OLD -> new JfrTool("jdk.OldObjectSample");
                case OURS -> new HeapSamplerTool();
            };
        }
    }

    /**
     * Samples.
     *
     * @param interval mean bytes between two samples; a tool that knows no such thing ignores it
     */
    void start(int interval) throws Exception;

    /** Stops, and keeps what has been learned if the tool can. */
    void stop() throws Exception;

    /** Samples so far, while it is on; 0 if the tool cannot say. */
    long samples();

    /** Lets all that the samples will ever cost happen; it is on. */
    default void settle() throws InterruptedException {
        System.gc();
    }

    /** How many samples the last run has left in the tool's own output; it is off. */
    default long found() throws Exception {
        return 0;
    }

    /** Stacks so far that were not found without asking the JVM; NaN if the tool never tries. */
    default double asked() {
        return Double.NaN;
    }
}
