// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Chooses from many sites those that grow, so that of the chosen ones 5 % at most do not grow, in
 * the mean over many runs: the false-discovery rate of Benjamini and Hochberg (1995). It holds for
 * independent sites, as sites are: each object is sampled by itself. Where no site grows, the list
 * is empty in 95 of 100 runs or more, however many sites there are.
 */
final class Discoveries {

    private static final double RATE = 0.05;

    private Discoveries() {}

    /**
     * Returns the chosen sites.
     *
     * @param candidates sites that have enough samples; this may depend on how many samples have
     *     changed, but not on which of them speak for growth
     * @param chance the chance that the site would look like this if it did not grow
     * @return in the order of the candidates
     */
    static <T> List<T> among(List<T> candidates, ToDoubleFunction<T> chance) {
        double[] sorted = candidates.stream().mapToDouble(chance).sorted().toArray();
        int found = sorted.length;
        while (found > 0 && sorted[found - 1] > limit(found, sorted.length)) {
            found--;
        }
        double limit = limit(found, sorted.length);
        return candidates.stream().filter(each -> chance.applyAsDouble(each) <= limit).toList();
    }

    private static double limit(int found, int candidates) {
        return found == 0 ? -1 : RATE * found / candidates;
    }
}
