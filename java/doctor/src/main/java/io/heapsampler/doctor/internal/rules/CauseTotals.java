// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The totals of the collections with one cause, as the JVM gives it. A cause is no problem in
 * itself; the figures show its cost. The application runs during cycles; {@code others} are of an
 * unknown kind.
 *
 * @param meaning a few words for a reader; empty if this version does not know the cause
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

    /** One for each cause: first those with most time in pauses, then most time in cycles. */
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
        Causes.Cause known = Causes.of(it.cause());
        String meaning = known == null ? "" : known.meaning();
        double millis = it.durationMillis();
        return it.kind().isPause()
                ? new CauseTotals(it.cause(), meaning, 1, millis, millis, 0, 0, 0)
                : it.kind() == CollectionKind.UNKNOWN
                        ? new CauseTotals(it.cause(), meaning, 0, 0, 0, 0, 0, 1)
                        : new CauseTotals(it.cause(), meaning, 0, 0, 0, 1, millis, 0);
    }

    private CauseTotals plus(CauseTotals it) {
        return new CauseTotals(
                cause,
                meaning,
                pauses + it.pauses,
                pauseMillis + it.pauseMillis,
                Math.max(longestPauseMillis, it.longestPauseMillis),
                cycles + it.cycles,
                cycleMillis + it.cycleMillis,
                others + it.others);
    }
}
