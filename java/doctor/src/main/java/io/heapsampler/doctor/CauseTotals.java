// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The totals of the collections with one cause, as the JVM gives it. A cause is no problem in
 * itself; the figures show its cost. The application runs during cycles; {@code others} are of an
 * unknown kind.
 *
 * @param meaning a few words for a reader; empty if this version does not know the cause
 */
record CauseTotals(
        String cause,
        String meaning,
        long pauses,
        double pauseMillis,
        double longestPauseMillis,
        long cycles,
        double cycleMillis,
        long others) {

    /** One for each cause: first those with most time in pauses, then most time in cycles. */
    static List<CauseTotals> of(Timeline timeline) {
        Map<String, List<GcEvent>> byCause = new LinkedHashMap<>();
        for (GcEvent each : timeline.collections()) {
            byCause.computeIfAbsent(each.cause(), cause -> new ArrayList<>()).add(each);
        }
        return byCause.entrySet().stream()
                .map(each -> of(each.getKey(), each.getValue()))
                .sorted(
                        Comparator.comparingDouble(CauseTotals::pauseMillis)
                                .thenComparingDouble(CauseTotals::cycleMillis)
                                .thenComparingLong(CauseTotals::pauses)
                                .reversed())
                .toList();
    }

    private static CauseTotals of(String cause, List<GcEvent> all) {
        DoubleSummaryStatistics pauses = durations(all, c -> c.kind().isPause());
        DoubleSummaryStatistics cycles = durations(all, c -> c.kind().isCycle());
        return new CauseTotals(
                cause,
                Causes.meaning(cause),
                pauses.getCount(),
                pauses.getSum(),
                Math.max(pauses.getMax(), 0),
                cycles.getCount(),
                cycles.getSum(),
                all.size() - pauses.getCount() - cycles.getCount());
    }

    private static DoubleSummaryStatistics durations(
            List<GcEvent> all, Predicate<GcEvent> isMeant) {
        return all.stream()
                .filter(isMeant)
                .mapToDouble(GcEvent::durationMillis)
                .summaryStatistics();
    }
}
