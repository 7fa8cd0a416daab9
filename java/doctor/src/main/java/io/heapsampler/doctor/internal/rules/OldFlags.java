// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.timeline.JvmSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Flags of earlier JDKs, and their replacements. */
public final class OldFlags {

    /** The value of a flag that was requested and that the JVM does not have. */
    public static final String IGNORED = "not a flag of this JVM";

    private static final Map<String, String> TODAY =
            Map.ofEntries(
                    Map.entry("PrintGC", "-Xlog:gc"),
                    Map.entry("PrintGCDetails", "-Xlog:gc*"),
                    Map.entry("PrintGCTimeStamps", "-Xlog:gc*::uptime"),
                    Map.entry("PrintGCDateStamps", "-Xlog:gc*::time"),
                    Map.entry("PrintTenuringDistribution", "-Xlog:gc+age=debug"),
                    Map.entry("PrintReferenceGC", "-Xlog:gc+ref=debug"),
                    Map.entry("PrintJNIGCStalls", "-Xlog:gc+jni=debug"),
                    Map.entry("TraceClassLoading", "-Xlog:class+load"),
                    Map.entry("TraceClassUnloading", "-Xlog:class+unload"),
                    Map.entry("PrintGCApplicationStoppedTime", "-Xlog:safepoint"),
                    Map.entry("PrintHeapAtGC", "-Xlog:gc+heap=debug"),
                    Map.entry("PrintAdaptiveSizePolicy", "-Xlog:gc+ergo*=debug"));

    /** Prefixes of flags that were removed together with their features: CMS, PermGen and so on. */
    private static final List<String> GONE =
            List.of(
                    "CMS",
                    "UseCMS",
                    "UseConcMarkSweepGC",
                    "UseParNewGC",
                    "PrintFLS",
                    "ExplicitGCInvokesConcurrentAndUnloadsClasses",
                    "PermSize",
                    "MaxPermSize",
                    "UseParallelOldGC",
                    "UseBiasedLocking",
                    "BiasedLocking",
                    "AggressiveOpts",
                    "UseAdaptiveGCBoundary",
                    "G1UsePreventiveGC",
                    "GCLockerRetryAllocationCount",
                    "ZGenerational",
                    "UseRTM",
                    "CriticalJNINatives");

    private OldFlags() {}

    /** A note for each flag that the JVM was given and does not know. */
    public static List<String> notes(JvmSettings settings) {
        List<String> notes = new ArrayList<>();
        new TreeMap<>(settings.flags())
                .forEach(
                        (name, value) -> {
                            if (value.equals(IGNORED)) {
                                notes.add(note(name));
                            }
                        });
        return notes;
    }

    private static String note(String name) {
        String unknown = "This JVM does not know the flag " + name + " that it was given";
        String today = TODAY.get(name);
        if (today != null) {
            return unknown + "; today it is " + today + ".";
        }
        return GONE.stream().anyMatch(name::startsWith)
                ? unknown + "; it was removed together with its feature."
                : unknown + ".";
    }
}
