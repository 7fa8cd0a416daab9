// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.GarbageCollector;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What this VM is: its collector, its version, and from which size on it allocates in the old
 * generation.
 */
public final class VmInfo {

    private static final int MAX_TRACKED = 65_536;

    /**
     * Weak references cost generational ZGC more, for it visits them in concurrent phases of its
     * own.
     */
    private static final int MAX_TRACKED_Z_GENERATIONAL = 8_192;

    /**
     * Half of one per cent: the other half is for released objects, which stay until the next major
     * collection.
     */
    private static final int HELD_PART_Z = 200;

    /** More under G1, because there live objects are charged as well. */
    private static final int HELD_PART_G1 = 16;

    /** Parallel may shrink its eden; an object of half the eden goes to the old generation. */
    private static final long PARALLEL_BORN_OLD = 256 * 1024;

    private VmInfo() {}

    /** Determined once, on first use. */
    private static final class Holder {
        static final GarbageCollector COLLECTOR =
                collector(
                        ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .map(GarbageCollectorMXBean::getName)
                                .toList());
    }

    /** Returns the collector of this VM. */
    public static GarbageCollector collector() {
        return Holder.COLLECTOR;
    }

    /** Returns the collector that has beans of these names. */
    static GarbageCollector collector(List<String> beans) {
        for (String bean : beans) {
            GarbageCollector collector = collector(bean);
            if (collector != GarbageCollector.UNKNOWN) {
                return collector;
            }
        }
        return GarbageCollector.UNKNOWN;
    }

    private static GarbageCollector collector(String bean) {
        if (bean.equals("Copy") || bean.equals("MarkSweepCompact")) {
            return GarbageCollector.SERIAL;
        }
        if (bean.startsWith("PS ")) {
            return GarbageCollector.PARALLEL;
        }
        if (bean.startsWith("G1 ")) {
            return GarbageCollector.G1;
        }
        if (bean.startsWith("ZGC Minor") || bean.startsWith("ZGC Major")) {
            return GarbageCollector.Z_GENERATIONAL;
        }
        if (bean.startsWith("ZGC")) {
            return GarbageCollector.Z;
        }
        if (bean.startsWith("Shenandoah")) {
            return "generational".equals(option("ShenandoahGCMode"))
                    ? GarbageCollector.SHENANDOAH_GENERATIONAL
                    : GarbageCollector.SHENANDOAH;
        }
        return bean.startsWith("Epsilon") ? GarbageCollector.EPSILON : GarbageCollector.UNKNOWN;
    }

    /**
     * {@return how many full collections have ended, of a collector that makes them in one pause;
     * -1 for collectors that work beside the application}
     */
    public static long fullCollections() {
        return Full.COLLECTOR == null ? -1 : Full.COLLECTOR.getCollectionCount();
    }

    /** Found once. */
    private static final class Full {

        private static final Set<String> NAMES =
                Set.of("MarkSweepCompact", "PS MarkSweep", "G1 Old Generation");

        static final @Nullable GarbageCollectorMXBean COLLECTOR =
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(bean -> NAMES.contains(bean.getName()))
                        .findFirst()
                        .orElse(null);
    }

    /** Returns the Java feature version, such as 17. */
    public static int feature() {
        return Runtime.version().feature();
    }

    /** Returns the name of this VM. */
    public static String name() {
        return System.getProperty("java.vm.name", "unknown");
    }

    /** Returns the version of this VM. */
    public static String version() {
        return System.getProperty("java.vm.version", "unknown");
    }

    /** Returns whether this VM is HotSpot. */
    static boolean isHotSpot() {
        return isHotSpot(name());
    }

    /** Returns whether a VM of this name is HotSpot. */
    static boolean isHotSpot(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !lower.contains("openj9")
                && (lower.contains("hotspot") || lower.contains("openjdk"));
    }

    /** Returns the budget of weak references when none is given. */
    public static int defaultMaxTracked() {
        return collector() == GarbageCollector.Z_GENERATIONAL
                ? MAX_TRACKED_Z_GENERATIONAL
                : MAX_TRACKED;
    }

    /**
     * Returns from which size on an object may be born in the old generation, where a young
     * collection does not confirm it: half a region under G1, half the eden as it is now under
     * Serial, and under Parallel, which may shrink its eden later, 256 KiB at most.
     *
     * @return bytes; 0 if there is no such size or it is not known
     */
    static long bornOldBytes() {
        return switch (collector()) {
            case G1 -> Region.BYTES / 2;
            case SERIAL -> edenBytes() / 2;
            case PARALLEL -> Math.min(edenBytes() / 2, PARALLEL_BORN_OLD);
            default -> 0;
        };
    }

    /**
     * {@return how much garbage tracked objects may keep in the heap, in bytes; 0 where nothing is
     * kept} Generational ZGC keeps what a weak reference points to, with all that this refers to,
     * until the next major collection; G1 keeps such objects of half a region or more until it has
     * marked the heap; the other collectors keep nothing that they would not keep anyway.
     */
    static long heldBytes() {
        return heldBytes(collector(), Runtime.getRuntime().maxMemory());
    }

    /** Returns the same for a collector and a maximum heap size in bytes. */
    static long heldBytes(GarbageCollector collector, long maxHeap) {
        return switch (collector) {
            case Z_GENERATIONAL -> maxHeap / HELD_PART_Z;
            case G1 -> maxHeap / HELD_PART_G1;
            default -> 0;
        };
    }

    private static long edenBytes() {
        MemoryUsage usage = Eden.POOL == null ? null : Eden.POOL.getUsage();
        return usage == null ? 0 : usage.getCommitted();
    }

    /** Found once, for each search makes all beans of the JVM's memory anew. */
    private static final class Eden {

        static final @Nullable MemoryPoolMXBean POOL = pool();

        private static @Nullable MemoryPoolMXBean pool() {
            for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
                if (pool.getName().contains("Eden")) {
                    return pool;
                }
            }
            return null;
        }
    }

    /** Of G1, which never changes it. */
    private static final class Region {
        static final long BYTES = number(option("G1HeapRegionSize"));
    }

    private static long number(@Nullable String text) {
        return text == null || !text.matches("\\d{1,18}") ? 0 : Long.parseLong(text);
    }

    private static @Nullable String option(String name) {
        try {
            return HotSpotOptions.get(name);
        } catch (NoClassDefFoundError | IllegalArgumentException e) {
            return null; // No such option, or a runtime without the module.
        }
    }

    /** Apart, so that nothing else needs the optional module jdk.management. */
    private static final class HotSpotOptions {

        static @Nullable String get(String name) {
            HotSpotDiagnosticMXBean bean =
                    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return bean == null ? null : bean.getVMOption(name).getValue();
        }
    }
}
