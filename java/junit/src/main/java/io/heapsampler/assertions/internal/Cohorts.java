// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is alive in the end, by site and by the iteration that allocated it. */
final class Cohorts {

    private record Key(String className, List<StackTraceElement> stack) {}

    private Cohorts() {}

    /**
     * Sorts the living into their iterations, but for those of {@link #hasLost}.
     *
     * @param begin when the first iteration began
     * @param ends when each iteration had ended, one fewer than there are iterations
     */
    static List<Survivors> of(HeapSnapshot last, Instant begin, List<Instant> ends, Scope scope) {
        Map<Key, Survivors> sites = new LinkedHashMap<>();
        for (HeapSample sample : last.samples()) {
            if (sample.liveness() != Liveness.LIVE || !sample.allocated().isAfter(begin)) {
                continue;
            }
            List<StackTraceElement> stack = Frames.ofCode(sample.stack());
            if (stack != null
                    && scope.accepts(sample.className(), stack)
                    && !isLost(sample.site(), stack, scope)) {
                sites.computeIfAbsent(
                                new Key(sample.className(), stack),
                                key -> new Survivors(key.className, key.stack, ends.size() + 1))
                        .add(iteration(sample.allocated(), ends), sample.size(), sample.weight());
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

    private static int iteration(Instant allocated, List<Instant> ends) {
        int iteration = 0;
        while (iteration < ends.size() && allocated.isAfter(ends.get(iteration))) {
            iteration++;
        }
        return iteration;
    }
}
