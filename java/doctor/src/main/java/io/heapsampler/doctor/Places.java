// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapFrame;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which line of the application a stack stands for: the frame nearest to the allocation that
 * belongs neither to the JDK nor to a known library.
 */
final class Places {

    /** Frames that are kept of a stack beyond the first one of the application. */
    static final int BEYOND = 32;

    private static final Comparator<SiteEvidence> LARGEST_FIRST =
            Comparator.comparingDouble(site -> -site.estimate().value());

    private static int ownIndex(List<HeapFrame> stack) {
        for (int i = 0; i < stack.size(); i++) {
            if (LibraryCode.isOwn(stack.get(i).className())) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the first frame of the application; null if there is none. */
    static @Nullable HeapFrame own(List<HeapFrame> stack) {
        int index = ownIndex(stack);
        return index < 0 ? null : stack.get(index);
    }

    /** Returns the first frame of the application, else the leaf; empty if there is no frame. */
    static String name(List<HeapFrame> stack) {
        return stack.isEmpty() ? "" : stack.get(Math.max(ownIndex(stack), 0)).toString();
    }

    /** A copy of the frames that are kept. It does not hold the snapshot. */
    static List<HeapFrame> kept(List<HeapFrame> stack) {
        int end = Math.min(ownIndex(stack) + 1 + BEYOND, stack.size());
        return List.copyOf(stack.subList(0, end));
    }

    /**
     * Adds up sites of one line of the application: a leak may be spread over many stacks with few
     * samples each. Class and stack of a sum are those of its largest part.
     *
     * @return the largest sum first; without sites that have no sample
     */
    static List<SiteEvidence> addedUp(List<SiteEvidence> sites) {
        Map<String, SiteEvidence> sums = new LinkedHashMap<>();
        for (SiteEvidence site : sites.stream().sorted(LARGEST_FIRST).toList()) {
            if (site.estimate().samples() > 0) {
                sums.merge(place(site.className(), site.stack()), site, Places::sum);
            }
        }
        List<SiteEvidence> all = new ArrayList<>(sums.values());
        all.sort(LARGEST_FIRST);
        return all;
    }

    /** What is the same for sites that are added up. Those of no line are not. */
    static String place(String className, List<HeapFrame> stack) {
        HeapFrame own = own(stack);
        return own == null ? className + stack : own.toString();
    }

    /** Returns whether a site is at the line of one of some others. */
    static boolean isAmong(String className, List<HeapFrame> stack, List<SiteEvidence> sites) {
        String place = place(className, kept(stack));
        boolean isAny = false;
        for (SiteEvidence site : sites) { // No lambda: it needs metaspace.
            isAny |= place.equals(place(site.className(), kept(site.stack())));
        }
        return isAny;
    }

    /** The same for the first of the sites that a finding names. */
    static boolean isFirstAmong(List<SiteEvidence> named, List<SiteEvidence> sites) {
        return !named.isEmpty() && isAmong(named.get(0).className(), named.get(0).stack(), sites);
    }

    /** Class and stack are those of the first one. */
    static SiteEvidence sum(SiteEvidence largest, SiteEvidence other) {
        return new SiteEvidence(
                largest.className(),
                largest.stack(),
                largest.metric(),
                largest.estimate().plus(other.estimate()),
                largest.unit());
    }
}
