// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Collections as lines of the JVM's own log, for tools that read such logs. The lines are those of
 * {@code -Xlog:gc:file=gc.log:time,level,tags}, as far as a {@link Timeline} contains their data.
 *
 * <pre>{@code
 * Files.writeString(Path.of("gc.log"), GcLog.of(doctor.timeline()));
 * // [2026-11-23T04:41:07.012+0000][info][gc] GC(7) Pause Full (System.gc()) 24M->4M(256M) 31.250ms
 * }</pre>
 *
 * <p>The beans of the JVM do not report the kind of a young pause of G1, nor which pause of a
 * concurrent cycle it was, so the lines do not contain it. A pause of ZGC or Shenandoah has the
 * number of its cycle. For cycles of G1 the beans report only the pauses, which have their own
 * numbers. Numbers begin with the timeline, at 0. A notification of an unknown bean becomes a line
 * with its original names.
 */
public final class GcLog {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxx", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private static final long MIB = 1 << 20;
    private static final String PAUSES = "Pauses";

    private GcLog() {}

    /**
     * Writes the collections of a timeline as lines, in the order in which they ended.
     *
     * @param timeline live or recorded
     * @return the lines, each with its line feed; the first names the collector. Empty if nothing
     *     was collected
     */
    public static String of(Timeline timeline) {
        List<GcEvent> all =
                timeline.collections().stream()
                        .sorted(Comparator.comparingLong(GcEvent::endMillis))
                        .toList();
        StringBuilder log = new StringBuilder();
        if (!all.isEmpty()) {
            GarbageCollector collector = timeline.settings().collector();
            add(log, all.get(0).atMillis(), "Using " + name(collector));
            int[] numbers = numbers(all);
            for (int i = 0; i < numbers.length; i++) {
                GcEvent each = all.get(i);
                add(log, each.endMillis(), "GC(" + numbers[i] + ") " + line(each, collector));
            }
        }
        return log.toString();
    }

    private static void add(StringBuilder log, long atMillis, String line) {
        log.append('[').append(TIME.format(Instant.ofEpochMilli(atMillis)));
        log.append("][info][gc] ").append(line).append('\n');
    }

    /** In the order of their ends; a pause within a cycle has that of the cycle. */
    private static int[] numbers(List<GcEvent> all) {
        Map<String, NavigableMap<Long, Integer>> byBean = new HashMap<>();
        for (int i = 0; i < all.size(); i++) {
            GcEvent each = all.get(i);
            byBean.computeIfAbsent(each.bean(), bean -> new TreeMap<>()).put(each.atMillis(), i);
        }
        int[] owners = new int[all.size()];
        int[] numbers = new int[all.size()];
        int next = 0;
        for (int i = 0; i < numbers.length; i++) {
            owners[i] = cycleOf(all, i, byBean);
            numbers[i] = owners[i] == i ? next++ : 0;
        }
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = numbers[owners[i]];
        }
        return numbers;
    }

    /** The place of the cycle that the i-th is a pause of; its own if it is of none. */
    private static int cycleOf(
            List<GcEvent> all, int i, Map<String, NavigableMap<Long, Integer>> byBean) {
        GcEvent pause = all.get(i);
        if (!pause.bean().endsWith(PAUSES)) {
            return i;
        }
        String bean = pause.bean().replace(PAUSES, "Cycles");
        NavigableMap<Long, Integer> cycles = byBean.getOrDefault(bean, new TreeMap<>());
        Map.Entry<Long, Integer> cycle = cycles.floorEntry(pause.atMillis());
        if (cycle == null || all.get(cycle.getValue()).endMillis() < pause.endMillis()) {
            return i;
        }
        return cycle.getValue();
    }

    private static String line(GcEvent each, GarbageCollector collector) {
        return what(each, collector)
                + (each.cause().isEmpty() ? "" : " (" + each.cause() + ")")
                + sizes(each)
                + String.format(Locale.ROOT, " %.3fms", each.durationMillis());
    }

    private static String what(GcEvent each, GarbageCollector collector) {
        boolean isZ =
                collector == GarbageCollector.Z || collector == GarbageCollector.Z_GENERATIONAL;
        return switch (each.kind()) {
            case YOUNG_PAUSE -> "Pause Young";
            case FULL_PAUSE -> "Pause Full";
            case DEGENERATED_PAUSE -> "Pause Degenerated GC";
            case PHASE_PAUSE -> isShenandoah(collector) ? "Pause " + each.action() : "Pause";
            case YOUNG_CYCLE -> isZ ? "Minor Collection" : "Concurrent Young GC";
            case OLD_CYCLE -> isZ ? cycleOfZ(collector) : "Concurrent GC";
            case UNKNOWN -> each.bean() + ", " + each.action();
        };
    }

    private static String cycleOfZ(GarbageCollector collector) {
        return collector == GarbageCollector.Z ? "Garbage Collection" : "Major Collection";
    }

    private static boolean isShenandoah(GarbageCollector collector) {
        return collector == GarbageCollector.SHENANDOAH
                || collector == GarbageCollector.SHENANDOAH_GENERATIONAL;
    }

    /** As the JVM rounds: down. */
    private static String sizes(GcEvent each) {
        return each.heapBefore() < 0
                ? ""
                : " "
                        + each.heapBefore() / MIB
                        + "M->"
                        + each.heapAfter() / MIB
                        + "M("
                        + each.heapCommitted() / MIB
                        + "M)";
    }

    private static String name(GarbageCollector collector) {
        return switch (collector) {
            case SERIAL -> "Serial";
            case PARALLEL -> "Parallel";
            case G1 -> "G1";
            case Z, Z_GENERATIONAL -> "The Z Garbage Collector";
            case SHENANDOAH, SHENANDOAH_GENERATIONAL -> "Shenandoah";
            case EPSILON -> "Epsilon";
            case UNKNOWN -> "an unknown collector";
        };
    }
}
