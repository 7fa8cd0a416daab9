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

/**
 * The settings of the JVM that rules need. Sizes are in bytes, and −1 if the JVM has no such
 * setting.
 *
 * @param feature the feature release of the JDK, such as 17
 * @param maxYoung the maximum size of the young generation; −1 if the collector chooses it
 * @param regionSize the size of a region of G1
 * @param maxMetaspace {@link Long#MAX_VALUE} if there is no limit
 * @param maxDirect the limit of direct buffers; that of the heap if none was set
 * @param flags other flags by name, without {@code -XX}
 */
record JvmSettings(
        int feature,
        GarbageCollector collector,
        long maxHeap,
        long initialHeap,
        long maxYoung,
        long regionSize,
        long maxMetaspace,
        long maxDirect,
        Map<String, String> flags) {

    private static final double NEARLY_FULL = 0.85;

    /** Flags that rules use. */
    private static final List<String> FLAGS =
            List.of("AlwaysPreTouch", "DisableExplicitGC", "MaxTenuringThreshold");

    private static final @Nullable HotSpotDiagnosticMXBean BEAN =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    JvmSettings {
        flags = Map.copyOf(flags);
    }

    /** The most that the old generation can become, or a heap without generations; in bytes. */
    double maxOld() {
        return (double) maxHeap - (hasGenerations() ? Math.max(maxYoung, 0) : 0);
    }

    boolean hasGenerations() {
        return switch (collector) {
            case SERIAL, PARALLEL, G1, Z_GENERATIONAL, SHENANDOAH_GENERATIONAL -> true;
            default -> false;
        };
    }

    /** Whether an old generation with these live bytes has hardly any room; see {@code doc}. */
    boolean isNearlyFull(double oldLive) {
        return maxOld() > 0 && oldLive >= NEARLY_FULL * maxOld();
    }

    /** Returns whether a boolean flag is on; false if there is none of that name. */
    boolean isOn(String name) {
        return "true".equals(flags.get(name));
    }

    // ---- Reading them ----

    /** Reads those of this JVM. */
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
                readFlags());
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

    private static Map<String, String> readFlags() {
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
