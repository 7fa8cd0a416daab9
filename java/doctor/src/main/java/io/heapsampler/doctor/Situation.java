// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The input of the rules: a timeline, with the figures that they use, and the history of the sites.
 *
 * <p>Counts and sums cover the last ten minutes, or all there is; trends cover more.
 *
 * @param from the beginning of the last ten minutes, or of the timeline
 * @param recent the collections since then
 * @param live the live set, as all collections show it
 */
record Situation(
        Timeline timeline,
        SiteBook sites,
        Slo slo,
        long from,
        long to,
        List<GcEvent> recent,
        LiveSet live) {

    static final long RECENT_MILLIS = 600_000; // Older events are not counted.

    /** Rates are computed over a minute, or over the whole timeline if it is shorter. */
    static final long MINUTE_MILLIS = 60_000;

    /** Begins and ends with the first and the last of all ticks and collections. */
    static Situation of(Timeline timeline, SiteBook sites, Slo slo) {
        List<Tick> ticks = timeline.ticks();
        List<GcEvent> all = timeline.collections();
        long begin = Long.MAX_VALUE;
        long to = 0;
        if (!ticks.isEmpty()) {
            begin = ticks.get(0).atMillis();
            to = ticks.get(ticks.size() - 1).atMillis();
        }
        if (!all.isEmpty()) {
            begin = Math.min(begin, all.get(0).atMillis());
            to = Math.max(to, all.get(all.size() - 1).endMillis());
        }
        long from = Math.max(Math.min(begin, to), to - RECENT_MILLIS);
        List<GcEvent> recent = all.stream().filter(c -> c.atMillis() >= from).toList();
        return new Situation(timeline, sites, slo, from, to, recent, LiveSet.of(timeline));
    }

    JvmSettings settings() {
        return timeline.settings();
    }

    /** How long that is; at least 1. */
    double millis() {
        return Math.max(to - from, 1);
    }

    String collectorText() {
        return Text.name(settings().collector()) + ", JDK " + settings().feature();
    }

    /** Does it work beside the application, with pauses of a millisecond or so? */
    boolean isConcurrent() {
        return switch (settings().collector()) {
            case Z, Z_GENERATIONAL, SHENANDOAH, SHENANDOAH_GENERATIONAL -> true;
            default -> false;
        };
    }

    boolean isG1() {
        return settings().collector() == GarbageCollector.G1;
    }

    /** The most that the old generation can become, or a heap without generations; in bytes. */
    double maxOld() {
        return settings().maxOld();
    }

    List<GcEvent> recent(Predicate<GcEvent> wanted) {
        return recent.stream().filter(wanted).toList();
    }

    /** The recent collections of these causes, without the pauses inside cycles. */
    List<GcEvent> cycles(Predicate<String> isWanted) {
        return recent(c -> c.kind() != CollectionKind.PHASE_PAUSE && isWanted.test(c.cause()));
    }

    /** The recent events of one type. */
    List<JvmEvent> events(String type) {
        return timeline.events().stream()
                .filter(event -> event.type().equals(type) && event.atMillis() >= from)
                .toList();
    }

    /** The recent ticks. */
    List<Tick> ticks() {
        return timeline.ticks().stream().filter(tick -> tick.atMillis() >= from).toList();
    }

    /** The share of the time that the service allows for pauses. */
    double pauseShareMax() {
        return 1 - slo.throughputMin();
    }

    /** How long the application was paused for these collections. */
    static double pauseMillis(List<GcEvent> collections) {
        double sum = 0;
        for (GcEvent collection : collections) {
            sum += collection.kind().isPause() ? collection.durationMillis() : 0;
        }
        return sum;
    }

    /** A minute, with the number of its collections and the sum of their figure; since 1970. */
    record Minute(double sum, int count, long from, long to) {}

    /** The minute in which the figure adds up to most; all there is where that is less. */
    Minute worstMinute(List<GcEvent> collections, ToDoubleFunction<GcEvent> figure) {
        return worstMinute(collections, GcEvent::atMillis, GcEvent::endMillis, figure);
    }

    <T> Minute worstMinute(
            List<T> all,
            ToLongFunction<T> at,
            ToLongFunction<T> ending,
            ToDoubleFunction<T> figure) {
        Minute worst = new Minute(0, 0, from, Math.min(to, from + MINUTE_MILLIS));
        double sum = 0;
        int first = 0;
        for (int i = 0; i < all.size(); i++) {
            sum += figure.applyAsDouble(all.get(i));
            long end = ending.applyAsLong(all.get(i));
            while (first < i && at.applyAsLong(all.get(first)) < end - MINUTE_MILLIS) {
                sum -= figure.applyAsDouble(all.get(first));
                first++;
            }
            if (sum > worst.sum()) {
                worst = new Minute(sum, i - first + 1, at.applyAsLong(all.get(first)), end);
            }
        }
        return worst;
    }

    /**
     * How much of a time in which the threads of the collector wanted to run they did run: less
     * than 1 where the machine had no processor for them; 1 if it is not known.
     */
    double processorShare(GcEvent pause) {
        double run = during(pause, Tick::gcCpuMillis);
        double waited = during(pause, Tick::gcWaitMillis);
        return run >= 0 && waited > 0 ? run / (run + waited) : 1;
    }

    /** Is there a tick after a pause, which shows whether the collector had a processor? */
    boolean isMeasured(GcEvent pause) {
        return timeline.ticks().isEmpty() || firstFrom(pause.endMillis()) < timeline.ticks().size();
    }

    /** By how much a counter rose in the second of a pause; −1 if it is not known. */
    double during(GcEvent pause, ToDoubleFunction<Tick> counter) {
        List<Tick> ticks = timeline.ticks();
        int before = firstFrom(pause.atMillis()) - 1;
        int after = firstFrom(pause.endMillis());
        if (before < 0 || after == ticks.size()) {
            return -1;
        }
        double first = counter.applyAsDouble(ticks.get(before));
        return first < 0 ? -1 : counter.applyAsDouble(ticks.get(after)) - first;
    }

    /** The index of the first tick that is not before a time; their number if there is none. */
    private int firstFrom(long millis) {
        List<Tick> ticks = timeline.ticks();
        int low = 0;
        int high = ticks.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ticks.get(middle).atMillis() >= millis) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** How long a pause would have taken had the collector not waited for a processor. */
    double fairMillis(GcEvent pause) {
        return pause.durationMillis() * processorShare(pause);
    }

    /** The length against which a {@link Minute} is held: a minute, or all there is. */
    double minuteMillis() {
        return Math.min(millis(), MINUTE_MILLIS);
    }

    /** The share of the worst minute in fair pauses of some collections. */
    double worstPauseShare(List<GcEvent> collections) {
        Minute worst = worstMinute(collections, c -> c.kind().isPause() ? fairMillis(c) : 0);
        return Math.min(worst.sum() / minuteMillis(), 1);
    }

    /** Bytes allocated by all threads between two times, by the ticks. */
    double allocatedBetween(long fromMillis, long toMillis) {
        return Math.max(allocatedAt(toMillis) - allocatedAt(fromMillis), 0);
    }

    private double allocatedAt(long millis) {
        Tick before = null;
        for (Tick tick : timeline.ticks()) {
            if (tick.allocated() >= 0 && tick.atMillis() >= millis) {
                return before == null
                        ? tick.allocated()
                        : before.allocated()
                                + allocatedPerSecond(before, tick)
                                        * (millis - before.atMillis())
                                        / 1000;
            }
            before = tick.allocated() >= 0 ? tick : before;
        }
        return before == null ? 0 : before.allocated();
    }

    static double allocatedPerSecond(Tick from, Tick to) {
        double millis = Math.max(to.atMillis() - from.atMillis(), 1);
        return 1000.0 * (to.allocated() - from.allocated()) / millis;
    }

    /**
     * When the application had started: it loads classes and data for ten seconds at least, and
     * until hardly any class was loaded within five. What takes more than a minute is work.
     */
    long startedMillis() {
        List<Tick> ticks = timeline.ticks();
        long first = ticks.isEmpty() ? Long.MIN_VALUE : ticks.get(0).atMillis();
        int before = 0;
        for (int i = 0; i < ticks.size(); i++) {
            Tick tick = ticks.get(i);
            while (before + 1 < i && ticks.get(before + 1).atMillis() <= tick.atMillis() - 5_000) {
                before++;
            }
            long loaded = tick.classesLoaded() - ticks.get(before).classesLoaded();
            if (tick.atMillis() >= first + 10_000 && loaded <= 0.01 * tick.classesLoaded()) {
                return Math.min(tick.atMillis(), first + 60_000);
            }
        }
        return ticks.isEmpty() ? first : first + 60_000;
    }
}
