// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.HoldersText;
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
                SiteFigures figures = of(site, stack);
                sites.merge(new Key(site.className(), stack), figures, SiteFigures::plus);
            }
        }
        return new ArrayList<>(sites.values());
    }

    private static SiteFigures of(HeapSite site, List<StackTraceElement> stack) {
        return new SiteFigures(
                site.className(), stack, site.allocated(), site.live(), site.unconfirmed());
    }

    /**
     * Searches the references that hold the live objects of some sites, now.
     *
     * @param shown how many sites the message shows
     * @param isShown called only for sites that count and have live objects
     * @return lines for the message; empty if that is not wanted
     */
    static String holders(
            HeapSnapshot snapshot,
            Scope scope,
            Settings settings,
            int shown,
            Predicate<SiteFigures> isShown) {
        if (!settings.holders()) {
            return "";
        }
        List<HeapSite> sites = new ArrayList<>();
        for (HeapSite site : snapshot.sites()) {
            List<StackTraceElement> stack = Frames.ofCode(site.stack());
            if (stack != null
                    && scope.accepts(site.className(), stack)
                    && site.live().samples() > 0
                    && isShown.test(of(site, stack))) {
                sites.add(site);
            }
        }
        return HoldersText.of(snapshot, sites, shown);
    }

    /** Is this of the same class and stack? */
    boolean isAtSamePlace(SiteFigures other) {
        return className.equals(other.className) && stack.equals(other.stack);
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
