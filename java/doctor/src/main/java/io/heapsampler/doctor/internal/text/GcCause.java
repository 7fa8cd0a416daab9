// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.text;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cause of collections that is known: what it means, and which JDKs have it. A cause that is not
 * here is none the worse: it is kept as the JVM gives it, without a meaning.
 *
 * @param name as the JVM gives it
 * @param first the first feature release of those from 17 on that has it
 * @param last the last one, {@link Integer#MAX_VALUE} if it is still there
 * @param meaning a few words for a reader
 */
public record GcCause(String name, int first, int last, String meaning) {

    private static final int NOW = Integer.MAX_VALUE;

    private static final List<GcCause> ALL =
            List.of(
                    always("System.gc()", "requested by the application or a library"),
                    always("Diagnostic Command", "requested with jcmd GC.run"),
                    always("JvmtiEnv ForceGarbageCollection", "requested by an agent"),
                    always("Heap Inspection Initiated GC", "a class histogram was requested"),
                    always("Heap Dump Initiated GC", "a heap dump was requested"),
                    always("WhiteBox Initiated Young GC", "a test of the JVM"),
                    always("WhiteBox Initiated Full GC", "a test of the JVM"),
                    new GcCause("WhiteBox Initiated Concurrent Mark", 17, 20, "a test of the JVM"),
                    always("WhiteBox Initiated Run to Breakpoint", "a test of the JVM"),
                    always("Allocation Failure", "no room for an object"),
                    always("Metadata GC Threshold", "metaspace reached its threshold"),
                    always(
                            "Metadata GC Clear Soft References",
                            "metaspace is full, the last resort before it fails"),
                    new GcCause("Ergonomics", 17, 24, "Parallel expects the next one to fail"),
                    new GcCause("Tenured Generation Full", 17, 20, "no room in the old generation"),
                    new GcCause(
                            "GCLocker Initiated GC",
                            17,
                            24,
                            "delayed until a JNI critical section ended"),
                    always("G1 Evacuation Pause", "the eden is full"),
                    always("G1 Compaction Pause", "the heap is full, all else has failed"),
                    always("G1 Humongous Allocation", "an object of half a region or more"),
                    always("G1 Periodic Collection", "nothing happened for long"),
                    new GcCause("G1 Preventive Collection", 17, 20, "a failure was foreseen"),
                    new GcCause("CodeCache GC Threshold", 20, NOW, "compiled code grew"),
                    new GcCause(
                            "CodeCache GC Aggressive", 20, NOW, "the code cache is nearly full"),
                    always("Concurrent GC", "Shenandoah's own heuristics"),
                    always(
                            "Allocation Failure During Evacuation",
                            "no room for the copies of live objects"),
                    always("Upgrade To Full GC", "a degenerated collection made no progress"),
                    always("Stopping VM", "the JVM ends"),
                    always("Timer", "the interval has passed"),
                    always("Warmup", "ZGC measures how fast it is"),
                    always("Allocation Rate", "ZGC expects the heap to be full before it is done"),
                    always("Allocation Stall", "threads wait for room"),
                    always("Proactive", "ZGC has time for it"),
                    always("High Usage", "little of the heap is free"),
                    always("No GC", "a pause in a concurrent cycle"));

    private static final Map<String, GcCause> BY_NAME = byName();

    private static GcCause always(String name, String meaning) {
        return new GcCause(name, 17, NOW, meaning);
    }

    private static Map<String, GcCause> byName() {
        Map<String, GcCause> all = new TreeMap<>();
        ALL.forEach(cause -> all.put(cause.name, cause));
        return all;
    }

    /** Returns the cause with this name; null if it is unknown. */
    public static @Nullable GcCause of(String name) {
        return BY_NAME.get(name);
    }

    /** Returns all known causes. */
    public static List<GcCause> all() {
        return ALL;
    }

    /** Returns whether a JDK of this feature release has the cause. */
    public boolean isIn(int feature) {
        return feature >= first && feature <= last;
    }
}
