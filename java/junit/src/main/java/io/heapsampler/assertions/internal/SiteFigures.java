// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The allocations of one place of the measured code.
 *
 * @param className Java name of the class
 * @param stack frames of the measured code, leaf first
 * @param allocated all of it
 * @param live those that were alive at the last look
 * @param unconfirmed of which it is not known
 */
record SiteFigures(
        String className,
        List<StackTraceElement> stack,
        HeapAmount allocated,
        HeapAmount live,
        HeapAmount unconfirmed) {

    static final Comparator<SiteFigures> BY_ALLOCATED =
            Comparator.comparingDouble((SiteFigures site) -> site.allocated.bytes().value())
                    .reversed()
                    .thenComparing(SiteFigures::className);

    static final Comparator<SiteFigures> BY_LIVE =
            Comparator.comparingDouble((SiteFigures site) -> site.live.bytes().value())
                    .reversed()
                    .thenComparing(SiteFigures::className);

    private record Key(String className, List<StackTraceElement> stack) {}

    /** Returns the sites that count, in no particular order. */
    static List<SiteFigures> of(HeapSnapshot snapshot, Scope scope) {
        return of(snapshot, scope, site -> false);
    }

    /**
     * The same without some.
     *
     * @param isSetAside called only for sites that would count
     */
    static List<SiteFigures> of(
            HeapSnapshot snapshot, Scope scope, Predicate<HeapSite> isSetAside) {
        Map<Key, SiteFigures> sites = new LinkedHashMap<>();
        for (HeapSite site : snapshot.sites()) {
            List<StackTraceElement> stack = Frames.ofCode(site.stack());
            if (stack != null && scope.accepts(site.className(), stack) && !isSetAside.test(site)) {
                SiteFigures figures =
                        new SiteFigures(
                                site.className(),
                                stack,
                                site.allocated(),
                                site.live(),
                                site.unconfirmed());
                sites.merge(new Key(site.className(), stack), figures, SiteFigures::plus);
            }
        }
        return new ArrayList<>(sites.values());
    }

    /** Returns the bytes of all of them. */
    static Estimate sum(List<SiteFigures> sites, Function<SiteFigures, HeapAmount> amount) {
        Estimate sum = Estimate.of(0, 0, 0, 0);
        for (SiteFigures site : sites) {
            sum = sum.plus(amount.apply(site).bytes());
        }
        return sum;
    }

    private SiteFigures plus(SiteFigures other) {
        return new SiteFigures(
                className,
                stack,
                allocated.plus(other.allocated),
                live.plus(other.live),
                unconfirmed.plus(other.unconfirmed));
    }
}
