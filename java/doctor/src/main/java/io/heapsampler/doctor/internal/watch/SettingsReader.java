// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.internal.rules.OldFlags;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the settings of this JVM. */
public final class SettingsReader {

    private static final String[] FLAGS = {
        "AlwaysPreTouch",
        "CompressedClassSpaceSize",
        "ConcGCThreads",
        "DisableExplicitGC",
        "ExplicitGCInvokesConcurrent",
        "InitiatingHeapOccupancyPercent",
        "MaxGCPauseMillis",
        "MaxHeapFreeRatio",
        "MaxTenuringThreshold",
        "MetaspaceSize",
        "MinHeapFreeRatio",
        "NativeMemoryTracking",
        "NewRatio",
        "NewSize",
        "ParallelGCThreads",
        "ShenandoahGCMode",
        "SoftMaxHeapSize",
        "SurvivorRatio",
        "UseAdaptiveSizePolicy",
        "UseCompressedClassPointers",
        "UseCompressedOops",
        "ZGenerational"
    };

    private final @Nullable HotSpotDiagnosticMXBean bean =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    private SettingsReader() {}

    public static JvmSettings read(GarbageCollector collector) {
        return new SettingsReader().settings(collector);
    }

    private JvmSettings settings(GarbageCollector collector) {
        long maxHeap = number("MaxHeapSize", Runtime.getRuntime().maxMemory());
        long maxDirect = number("MaxDirectMemorySize", 0);
        long maxMetaspace = number("MaxMetaspaceSize", Long.MAX_VALUE);
        return new JvmSettings(
                Runtime.version().feature(),
                collector,
                maxHeap,
                number("InitialHeapSize", -1),
                maxYoung(collector),
                collector == GarbageCollector.G1 ? number("G1HeapRegionSize", -1) : -1,
                isLimit(maxMetaspace) ? maxMetaspace : Long.MAX_VALUE,
                maxDirect > 0 ? maxDirect : Runtime.getRuntime().maxMemory(),
                flags());
    }

    /** The JVM rounds the value for no limit, differently from one release to the next. */
    private static boolean isLimit(long bytes) {
        return bytes >= 0 && bytes < Long.MAX_VALUE / 2;
    }

    /** Serial and Parallel always have a maximum; G1 has one only if it is set. */
    private long maxYoung(GarbageCollector collector) {
        return switch (collector) {
            case SERIAL, PARALLEL -> number("MaxNewSize", -1);
            case G1 -> isSet("MaxNewSize") ? number("MaxNewSize", -1) : -1;
            default -> -1;
        };
    }

    private Map<String, String> flags() {
        Map<String, String> flags = new TreeMap<>();
        for (String name : FLAGS) {
            VMOption option = option(name);
            if (option != null) {
                flags.put(name, option.getValue());
            }
        }
        List<String> given = ManagementFactory.getRuntimeMXBean().getInputArguments();
        for (String argument : given) {
            String name = flagName(argument);
            if (name != null) {
                VMOption option = option(name);
                flags.put(name, option == null ? OldFlags.IGNORED : harmless(option.getValue()));
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

    private boolean isSet(String flag) {
        VMOption option = option(flag);
        return option != null
                && option.getOrigin() != VMOption.Origin.DEFAULT
                && option.getOrigin() != VMOption.Origin.ERGONOMIC;
    }

    private long number(String flag, long otherwise) {
        VMOption option = option(flag);
        if (option == null) {
            return otherwise;
        }
        try {
            return Long.parseUnsignedLong(option.getValue());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private @Nullable VMOption option(String name) {
        try {
            return bean == null ? null : bean.getVMOption(name);
        } catch (IllegalArgumentException e) {
            return null; // This JVM has no such flag.
        }
    }
}
