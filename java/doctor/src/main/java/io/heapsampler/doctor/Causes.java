// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.HashMap;
import java.util.Map;

/** The causes of collections, one line each. Unknown ones are kept, and count as for space. */
final class Causes {

    /** G1 marks the heap then, if enough of it is in use. */
    static final String HUMONGOUS = "G1 Humongous Allocation";

    static final String LAST_RESORT = "Metadata GC Clear Soft References";

    private record Cause(String purpose, String meaning) {}

    /** Purpose, name and meaning; some are not in all releases from 17 on. */
    private static final String TABLE =
            """
            EXPLICIT|System.gc()|requested by the application or a library
            TOOL|Diagnostic Command|requested with jcmd GC.run
            TOOL|JvmtiEnv ForceGarbageCollection|requested by an agent
            TOOL|Heap Inspection Initiated GC|a class histogram was requested
            TOOL|Heap Dump Initiated GC|a heap dump was requested
            TOOL|WhiteBox Initiated Young GC|a test of the JVM
            TOOL|WhiteBox Initiated Full GC|a test of the JVM
            TOOL|WhiteBox Initiated Concurrent Mark|a test of the JVM
            TOOL|WhiteBox Initiated Run to Breakpoint|a test of the JVM
            SPACE|Allocation Failure|no room for an object
            METADATA|Metadata GC Threshold|metaspace reached its threshold
            METADATA|Metadata GC Clear Soft References|metaspace is full, the last resort before it fails
            SPACE|Ergonomics|Parallel expects the next one to fail
            SPACE|Tenured Generation Full|no room in the old generation
            SPACE|GCLocker Initiated GC|delayed until a JNI critical section ended
            SPACE|G1 Evacuation Pause|the eden is full
            SPACE|G1 Compaction Pause|the heap is full, all else has failed
            SPACE|G1 Humongous Allocation|an object of half a region or more
            PLAN|G1 Periodic Collection|nothing happened for long
            SPACE|G1 Preventive Collection|a failure was foreseen
            CODE|CodeCache GC Threshold|compiled code grew
            CODE|CodeCache GC Aggressive|the code cache is nearly full
            SPACE|Concurrent GC|Shenandoah's own heuristics
            SPACE|Allocation Failure During Evacuation|no room for the copies of live objects
            SPACE|Upgrade To Full GC|a degenerated collection made no progress
            SPACE|Stopping VM|the JVM ends
            PLAN|Timer|the interval has passed
            PLAN|Warmup|ZGC measures how fast it is
            SPACE|Allocation Rate|ZGC expects the heap to be full before it is done
            STALL|Allocation Stall|threads wait for room
            PLAN|Proactive|ZGC has time for it
            SPACE|High Usage|little of the heap is free
            SPACE|No GC|a pause in a concurrent cycle
            """;

    private static final Map<String, Cause> BY_NAME = read();

    private static Map<String, Cause> read() {
        Map<String, Cause> all = new HashMap<>();
        for (String line : TABLE.lines().toList()) {
            String[] cells = line.split("\\|", -1);
            all.put(cells[1], new Cause(cells[0], cells[2]));
        }
        return all;
    }

    /** Returns a few words for a reader; empty if this version does not know the cause. */
    static String meaning(String cause) {
        Cause known = BY_NAME.get(cause);
        return known == null ? "" : known.meaning();
    }

    private static boolean isFor(String purpose, String cause) {
        Cause known = BY_NAME.get(cause);
        String unknown = cause.startsWith("CodeCache") ? "CODE" : "SPACE";
        return purpose.equals(known == null ? unknown : known.purpose());
    }

    static boolean isExplicit(String cause) {
        return isFor("EXPLICIT", cause);
    }

    /** Returns whether jcmd, an agent or a test requested the collection. */
    static boolean isTool(String cause) {
        return isFor("TOOL", cause);
    }

    static boolean isMetadata(String cause) {
        return isFor("METADATA", cause);
    }

    static boolean isStall(String cause) {
        return isFor("STALL", cause);
    }

    /** Returns whether the collection took place because heap space was needed. */
    static boolean isForSpace(String cause) {
        return isFor("SPACE", cause) || isStall(cause);
    }
}
