// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the settings of this JVM. */
public final class SettingsReader {

    /** Flags that rules and reports use. */
    private static final String FLAGS =
            """
            AlwaysPreTouch CompressedClassSpaceSize ConcGCThreads DisableExplicitGC \
            ExplicitGCInvokesConcurrent InitiatingHeapOccupancyPercent MaxGCPauseMillis \
            MaxHeapFreeRatio MaxTenuringThreshold MetaspaceSize MinHeapFreeRatio \
            NativeMemoryTracking NewRatio NewSize ParallelGCThreads ShenandoahGCMode \
            SoftMaxHeapSize SurvivorRatio UseAdaptiveSizePolicy UseCompressedClassPointers \
            UseCompressedOops ZGenerational\
            """;

    private static final @Nullable HotSpotDiagnosticMXBean BEAN =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    private SettingsReader() {}

    public static JvmSettings read(GarbageCollector collector) {
        long heap = Runtime.getRuntime().maxMemory();
        long maxDirect = number("MaxDirectMemorySize", 0);
        long maxMetaspace = number("MaxMetaspaceSize", Long.MAX_VALUE);
        // The JVM rounds the value for no limit, differently from one release to the next.
        boolean isLimit = maxMetaspace >= 0 && maxMetaspace < Long.MAX_VALUE / 2;
        return new JvmSettings(
                Runtime.version().feature(),
                collector,
                number("MaxHeapSize", heap),
                number("InitialHeapSize", -1),
                maxYoung(collector),
                collector == GarbageCollector.G1 ? number("G1HeapRegionSize", -1) : -1,
                isLimit ? maxMetaspace : Long.MAX_VALUE,
                maxDirect > 0 ? maxDirect : heap,
                flags());
    }

    /** Serial and Parallel always have a maximum; G1 has one only if it is set. */
    private static long maxYoung(GarbageCollector collector) {
        VMOption option = option("MaxNewSize");
        boolean isChosen =
                option == null
                        || option.getOrigin() == VMOption.Origin.DEFAULT
                        || option.getOrigin() == VMOption.Origin.ERGONOMIC;
        return switch (collector) {
            case SERIAL, PARALLEL -> number("MaxNewSize", -1);
            case G1 -> isChosen ? -1 : number("MaxNewSize", -1);
            default -> -1;
        };
    }

    private static Map<String, String> flags() {
        Map<String, String> flags = new TreeMap<>();
        for (String name : FLAGS.split(" ", -1)) {
            VMOption option = option(name);
            if (option != null) {
                flags.put(name, option.getValue());
            }
        }
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            String name = flagName(argument);
            if (name != null) {
                VMOption option = option(name);
                if (option != null) {
                    flags.put(name, harmless(option.getValue()));
                }
            }
        }
        return flags;
    }

    /** Returns the name of the flag that an argument sets; null if it sets none. */
    static @Nullable String flagName(String argument) {
        if (!argument.startsWith("-XX:")) {
            return null;
        }
        String text = argument.substring(4);
        if (text.startsWith("+") || text.startsWith("-")) {
            return text.substring(1);
        }
        int equals = text.indexOf('=');
        return equals > 0 ? text.substring(0, equals) : null;
    }

    /** Paths and commands can be confidential: a text is only reported as set. */
    static String harmless(String value) {
        return value.matches("true|false|-?[0-9.]+") ? value : "set";
    }

    private static long number(String flag, long otherwise) {
        VMOption option = option(flag);
        try {
            return option == null ? otherwise : Long.parseUnsignedLong(option.getValue());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private static @Nullable VMOption option(String name) {
        try {
            return BEAN == null ? null : BEAN.getVMOption(name);
        } catch (IllegalArgumentException e) {
            return null; // This JVM has no such flag.
        }
    }
}
