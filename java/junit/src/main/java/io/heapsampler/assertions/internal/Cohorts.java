// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is alive in the end, by site and by the iteration that allocated it. */
final class Cohorts {

    private record Key(String className, List<StackTraceElement> stack) {}

    private Cohorts() {}

    /**
     * Returns when a snapshot was taken, in microseconds since its recording began. By the
     * monotonic clock, which nobody can set.
     */
    static long time(HeapSnapshot snapshot) {
        return micros(snapshot.duration());
    }

    /** Returns when a sample of a snapshot was allocated, by the same clock. */
    private static long time(HeapSample sample, HeapSnapshot snapshot) {
        return time(snapshot) - micros(Duration.between(sample.allocated(), snapshot.takenAt()));
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

    /**
     * Sorts the living into their iterations, but for those of {@link #hasLost}.
     *
     * @param last of a recording that has not been stopped
     * @param marks when the first iteration began, and when each had ended, by {@link #time}: after
     *     a collection, so that what is of the same microsecond is of the next iteration
     */
    static List<Survivors> of(HeapSnapshot last, long[] marks, Scope scope) {
        Map<Key, Survivors> sites = new LinkedHashMap<>();
        int iterations = marks.length - 1;
        for (HeapSample sample : last.samples()) {
            int iteration = iteration(time(sample, last), marks);
            if (sample.liveness() != Liveness.LIVE || iteration < 0 || iteration == iterations) {
                continue;
            }
            List<StackTraceElement> stack = Frames.ofCode(sample.stack());
            if (stack != null
                    && scope.accepts(sample.className(), stack)
                    && !isLost(sample.site(), stack, scope)) {
                sites.computeIfAbsent(
                                new Key(sample.className(), stack),
                                key -> new Survivors(key.className, key.stack, iterations))
                        .add(iteration, sample.size(), sample.weight());
            }
        }
        return new ArrayList<>(sites.values());
    }

    /** Is something alive of which it is not known from where it is, or whether it counts? */
    static boolean hasLost(HeapSnapshot last, Scope scope) {
        for (HeapSite site : last.sites()) {
            List<StackTraceElement> stack = Frames.ofCode(site.stack());
            if (stack != null && site.live().samples() > 0 && isLost(site, stack, scope)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLost(HeapSite site, List<StackTraceElement> stack, Scope scope) {
        return site.isOther()
                || (Frames.isCut(site) && scope.dependsOnMore(site.className(), stack));
    }

    /** -1 before the first, and their number after the last. */
    private static int iteration(long time, long[] marks) {
        int iteration = -1;
        while (iteration + 1 < marks.length && time >= marks[iteration + 1]) {
            iteration++;
        }
        return iteration;
    }
}
