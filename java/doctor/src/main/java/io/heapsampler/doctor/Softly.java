// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeldBy;
import io.heapsampler.Holder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * How much of the live bytes at some lines only soft references hold: the JVM frees it before it
 * runs out of memory. The paths of a search for holders show it, which prefers paths without soft
 * references. Derivation: {@code doc/thresholds.md}.
 *
 * @param sites the lines that were searched; empty if none was
 * @param share of their live bytes, from 0 to 1: the lower end of its 95 % interval
 */
record Softly(List<SiteEvidence> sites, double share) {

    /** No search has ended yet. */
    static final Softly UNKNOWN = new Softly(List.of(), 0);

    /** What a search shows. */
    static Softly of(List<SiteEvidence> sites, HeldBy held) {
        Deque<Holder> open = new ArrayDeque<>(held.holders());
        Estimate soft = SiteSum.ZERO;
        while (!open.isEmpty()) {
            Holder holder = open.pop();
            if (holder.isSoft()) {
                soft = soft.plus(holder.held().bytes());
            } else {
                open.addAll(holder.children());
            }
        }
        double total = held.total().bytes().value();
        boolean isKnown = !soft.hasTooFewSamples() && total > 0;
        return new Softly(sites, isKnown ? Math.min(soft.low() / total, 1) : 0);
    }

    /** Returns whether another search might show that the named lines are softly reachable. */
    boolean isOpenFor(List<SiteEvidence> named) {
        return !named.isEmpty() && (sites.isEmpty() || (share > 0 && !isOf(named)));
    }

    /** Returns whether the first of the named lines was searched. */
    boolean isOf(List<SiteEvidence> named) {
        return Places.isFirstAmong(named, sites);
    }

    /** Returns that part of the bytes that are live at the lines now. */
    double bytes(List<SiteMetrics> now) {
        double live = 0;
        for (SiteMetrics site : share > 0 ? now : List.<SiteMetrics>of()) {
            boolean isOne = Places.isAmong(site.className(), site.stack(), sites);
            live += isOne ? site.live().value() : 0;
        }
        return share * live;
    }
}
