// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.Set;

/** What causes of collections mean to rules. Unknown ones are taken for the application's needs. */
public final class Causes {

    static final String EXPLICIT = "System.gc()";
    public static final String LAST_RESORT = "Metadata GC Clear Soft References";

    private static final Set<String> TOOLS =
            Set.of(
                    "Diagnostic Command",
                    "JvmtiEnv ForceGarbageCollection",
                    "Heap Inspection Initiated GC",
                    "Heap Dump Initiated GC",
                    "WhiteBox Initiated Young GC",
                    "WhiteBox Initiated Full GC",
                    "WhiteBox Initiated Concurrent Mark");

    private static final Set<String> METADATA = Set.of("Metadata GC Threshold", LAST_RESORT);

    private static final Set<String> BY_PLAN =
            Set.of("Warmup", "Timer", "Proactive", "G1 Periodic Collection", "Idle");

    private Causes() {}

    public static boolean isExplicit(String cause) {
        return cause.equals(EXPLICIT);
    }

    /** Returns whether jcmd, an agent or a test requested the collection. */
    public static boolean isTool(String cause) {
        return TOOLS.contains(cause);
    }

    public static boolean isMetadata(String cause) {
        return METADATA.contains(cause);
    }

    public static boolean isStall(String cause) {
        return cause.equals("Allocation Stall");
    }

    /** Returns whether the collection took place because heap space was needed. */
    public static boolean isForSpace(String cause) {
        return !isExplicit(cause)
                && !isTool(cause)
                && !isMetadata(cause)
                && !BY_PLAN.contains(cause)
                && !cause.startsWith("CodeCache");
    }
}
