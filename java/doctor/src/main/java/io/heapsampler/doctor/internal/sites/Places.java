// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapFrame;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which line of the application a stack stands for: the frame nearest to the allocation that
 * belongs neither to the JDK nor to a known library. By loops and without lambdas, since there may
 * be no metaspace left to link one.
 */
public final class Places {

    /** Packages of HeapSampler. Its examples and tests are programs like any other. */
    private static final Pattern SAMPLER =
            Pattern.compile(
                    "io\\.heapsampler\\.(?:[A-Z]|(?:agent|assertions|export|http|internal|push)\\."
                            + "|doctor\\.(?:[A-Z]|internal\\.)).*");

    private Places() {}

    /** Returns the first frame of the application; null if there is none. */
    public static @Nullable HeapFrame own(List<HeapFrame> stack) {
        for (HeapFrame frame : stack) {
            if (LibraryCode.isOwn(frame.className())) {
                return frame;
            }
        }
        return null;
    }

    /** Returns the first frame of the application, else the leaf; empty if there is no frame. */
    public static String name(List<HeapFrame> stack) {
        HeapFrame own = own(stack);
        if (own != null) {
            return own.toString();
        }
        return stack.isEmpty() ? "" : stack.get(0).toString();
    }

    /** Returns whether HeapSampler itself allocates there. */
    static boolean isSampler(List<HeapFrame> stack) {
        HeapFrame own = own(stack);
        return own != null && SAMPLER.matcher(own.className()).matches();
    }

    /**
     * Adds up sites of one line of the application: a leak may be spread over many stacks with few
     * samples each. Class and stack of a sum are those of its largest part.
     *
     * @return the largest sum first; without sites that have no sample, and without HeapSampler's
     */
    public static List<SiteEvidence> addedUp(List<SiteEvidence> sites) {
        List<SiteEvidence> largestFirst = new ArrayList<>(sites);
        largestFirst.sort(LARGEST_FIRST);
        Map<String, Integer> places = new HashMap<>();
        List<SiteEvidence> sums = new ArrayList<>();
        for (SiteEvidence site : largestFirst) {
            if (site.estimate().samples() == 0 || isSampler(site.stack())) {
                continue;
            }
            String place = place(site);
            Integer index = places.get(place);
            if (index == null) {
                places.put(place, sums.size());
                sums.add(site);
            } else {
                sums.set(index, sum(sums.get(index), site));
            }
        }
        sums.sort(LARGEST_FIRST);
        return sums;
    }

    private static final Comparator<SiteEvidence> LARGEST_FIRST =
            new Comparator<>() {
                @Override
                public int compare(SiteEvidence left, SiteEvidence right) {
                    return Double.compare(right.estimate().value(), left.estimate().value());
                }
            };

    /** Sites without a frame of the application are not added up. */
    private static String place(SiteEvidence site) {
        HeapFrame own = own(site.stack());
        return own == null ? site.className() + site.stack() : own.toString();
    }

    private static SiteEvidence sum(SiteEvidence largest, SiteEvidence other) {
        return new SiteEvidence(
                largest.className(),
                largest.stack(),
                largest.metric(),
                largest.estimate().plus(other.estimate()),
                largest.unit());
    }
}
