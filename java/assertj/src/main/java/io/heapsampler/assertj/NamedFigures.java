// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ClassTotals;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapSite;
import io.heapsampler.ThreadTotals;
import java.util.Collection;

/**
 * The figures of some part of a snapshot, with a name for messages; all 0 if there was no sample.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param name such as {@code class byte[]}
 * @param allocated the allocated objects
 * @param live the objects that are confirmed alive
 * @param unconfirmed objects allocated since the last collection that could have freed it
 */
public record NamedFigures(
        String name, HeapAmount allocated, HeapAmount live, HeapAmount unconfirmed) {

    private static final Estimate ZERO = Estimate.of(0, 0, 0, 0);
    private static final HeapAmount NOTHING = new HeapAmount(ZERO, ZERO, 0, 0);

    static NamedFigures sum(String name, Collection<? extends HeapFigures> parts) {
        return new NamedFigures(
                name,
                parts.stream().map(HeapFigures::allocated).reduce(NOTHING, HeapAmount::plus),
                parts.stream().map(HeapFigures::live).reduce(NOTHING, HeapAmount::plus),
                parts.stream().map(HeapFigures::unconfirmed).reduce(NOTHING, HeapAmount::plus));
    }

    static NamedFigures of(HeapFigures figures) {
        return new NamedFigures(
                nameOf(figures), figures.allocated(), figures.live(), figures.unconfirmed());
    }

    private static String nameOf(HeapFigures figures) {
        if (figures instanceof HeapSite site) {
            return HeapSites.nameOf(site);
        }
        if (figures instanceof ClassTotals totals) {
            return "class " + totals.className();
        }
        return figures instanceof ThreadTotals totals
                ? "thread \"" + totals.threadName() + "\""
                : "the snapshot";
    }

    @Override
    public String toString() {
        return name + ": allocated " + allocated.bytes() + ", live " + live.bytes();
    }
}
