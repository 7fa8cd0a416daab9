// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.heapsampler.GarbageCollector;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the settings of this JVM. */
final class SettingsReader {

    /** Flags that rules use. */
    private static final List<String> FLAGS =
            List.of("AlwaysPreTouch", "DisableExplicitGC", "MaxTenuringThreshold");

    private static final @Nullable HotSpotDiagnosticMXBean BEAN =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    static JvmSettings read(GarbageCollector collector) {
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
        for (String name : FLAGS) {
            VMOption option = option(name);
            if (option != null) {
                flags.put(name, option.getValue());
            }
        }
        return flags;
    }

    private static long number(String flag, long otherwise) {
        VMOption option = option(flag);
        try {
            String value = option == null ? "-" : option.getValue();
            // To parse what is below 0 would load a formatter for the message.
            return value.startsWith("-") ? otherwise : Long.parseUnsignedLong(value);
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
