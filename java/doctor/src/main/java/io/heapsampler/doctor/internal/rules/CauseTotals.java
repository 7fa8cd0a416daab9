// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.GcCause;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The totals of the collections with one cause. A cause is no problem in itself; the figures show
 * its cost.
 *
 * @param cause the cause, as the JVM gives it
 * @param meaning a few words for a reader; empty if this version does not know the cause
 * @param pauses the number of pauses
 * @param pauseMillis their total duration
 * @param longestPauseMillis the longest of them
 * @param cycles the number of concurrent cycles
 * @param cycleMillis their total duration, during which the application ran
 * @param others notifications of an unknown kind
 */
public record CauseTotals(
        String cause,
        String meaning,
        long pauses,
        double pauseMillis,
        double longestPauseMillis,
        long cycles,
        double cycleMillis,
        long others) {

    /**
     * Sums up a timeline.
     *
     * @param timeline the timeline
     * @return one for each cause, ordered by the time in pauses, then by the time in cycles, most
     *     first
     */
    public static List<CauseTotals> of(Timeline timeline) {
        Map<String, CauseTotals> all = new LinkedHashMap<>();
        for (GcEvent each : timeline.collections()) {
            all.merge(each.cause(), of(each), CauseTotals::plus);
        }
        List<CauseTotals> sorted = new ArrayList<>(all.values());
        sorted.sort(
                Comparator.comparingDouble(CauseTotals::pauseMillis)
                        .thenComparingDouble(CauseTotals::cycleMillis)
                        .thenComparingLong(CauseTotals::pauses)
                        .reversed());
        return sorted;
    }

    private static CauseTotals of(GcEvent it) {
        GcCause known = GcCause.of(it.cause());
        boolean pause = it.kind().isPause();
        boolean other = it.kind() == CollectionKind.UNKNOWN;
        boolean cycle = !pause && !other;
        return new CauseTotals(
                it.cause(),
                known == null ? "" : known.meaning(),
                pause ? 1 : 0,
                pause ? it.durationMillis() : 0,
                pause ? it.durationMillis() : 0,
                cycle ? 1 : 0,
                cycle ? it.durationMillis() : 0,
                other ? 1 : 0);
    }

    private CauseTotals plus(CauseTotals more) {
        return new CauseTotals(
                cause,
                meaning,
                pauses + more.pauses,
                pauseMillis + more.pauseMillis,
                Math.max(longestPauseMillis, more.longestPauseMillis),
                cycles + more.cycles,
                cycleMillis + more.cycleMillis,
                others + more.others);
    }
}
