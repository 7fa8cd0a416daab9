// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Flags that the JVM was given and does not have: those of earlier JDKs. */
public final class OldFlags {

    /** The value of a flag that was requested and that the JVM does not have. */
    public static final String IGNORED = "not a flag of this JVM";

    private static final Map<String, String> TODAY =
            Map.of(
                    "PrintGC", "-Xlog:gc",
                    "PrintGCDetails", "-Xlog:gc*",
                    "PrintGCTimeStamps", "-Xlog:gc*::uptime",
                    "PrintGCDateStamps", "-Xlog:gc*::time",
                    "PrintTenuringDistribution", "-Xlog:gc+age=debug",
                    "PrintGCApplicationStoppedTime", "-Xlog:safepoint",
                    "PrintHeapAtGC", "-Xlog:gc+heap=debug",
                    "TraceClassLoading", "-Xlog:class+load",
                    "TraceClassUnloading", "-Xlog:class+unload",
                    "PrintAdaptiveSizePolicy", "-Xlog:gc+ergo*=debug");

    /** Flags that were removed together with their features: CMS, PermGen and so on. */
    private static final Pattern GONE =
            Pattern.compile(
                    """
                    (CMS|UseCMS|UseConcMarkSweepGC|UseParNewGC|PermSize|MaxPermSize|UseParallelOldGC\
                    |UseBiasedLocking|BiasedLocking|AggressiveOpts|G1UsePreventiveGC\
                    |GCLockerRetryAllocationCount|ZGenerational|UseRTM|CriticalJNINatives\
                    |ExplicitGCInvokesConcurrentAndUnloadsClasses).*\
                    """);

    private OldFlags() {}

    /** A note for each flag that the JVM was given and does not know. */
    public static List<String> notes(JvmSettings settings) {
        List<String> notes = new ArrayList<>();
        for (Map.Entry<String, String> flag : new TreeMap<>(settings.flags()).entrySet()) {
            String name = flag.getKey();
            if (flag.getValue().equals(IGNORED)) {
                boolean isGone = GONE.matcher(name).matches();
                String why = isGone ? "; it was removed together with its feature" : "";
                String today = TODAY.get(name);
                String text = "This JVM does not know the flag {} that it was given{}.";
                notes.add(Text.of(text, name, today == null ? why : "; today it is " + today));
            }
        }
        return notes;
    }
}
