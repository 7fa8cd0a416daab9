// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ClassTotals;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapSite;
import io.heapsampler.LabelTotals;
import io.heapsampler.ThreadTotals;
import io.heapsampler.assertj.Reading.Measure;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The figures of some part of a snapshot, with a name for messages; all 0 if there was no sample.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class NamedFigures {

    private static final Estimate ZERO = Estimate.of(0, 0, 0, 0);
    private static final HeapAmount NOTHING = HeapAmount.of(ZERO, ZERO, 0, 0);

    private final String name;
    private final HeapAmount allocated;
    private final HeapAmount live;
    private final HeapAmount unconfirmed;

    NamedFigures(String name, HeapAmount allocated, HeapAmount live, HeapAmount unconfirmed) {
        this.name = name;
        this.allocated = allocated;
        this.live = live;
        this.unconfirmed = unconfirmed;
    }

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
        if (figures instanceof LabelTotals totals) {
            return "label \"" + totals.value() + "\"";
        }
        return figures instanceof ThreadTotals totals
                ? "thread \"" + totals.threadName() + "\""
                : "the snapshot";
    }

    /** {@return the name for messages, such as {@code class byte[]}} */
    public String name() {
        return name;
    }

    /** {@return the figures of all allocated objects} */
    public HeapAmount allocated() {
        return allocated;
    }

    /** {@return the figures of the objects that are confirmed alive} */
    public HeapAmount live() {
        return live;
    }

    /** {@return the figures of the objects that no collection could have freed yet} */
    public HeapAmount unconfirmed() {
        return unconfirmed;
    }

    /** Returns the amount that a measure is about. */
    HeapAmount amount(Measure measure) {
        return measure.of(allocated, live, unconfirmed);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NamedFigures that
                && name.equals(that.name)
                && allocated.equals(that.allocated)
                && live.equals(that.live)
                && unconfirmed.equals(that.unconfirmed);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + allocated.hashCode();
    }

    @Override
    public String toString() {
        return name + ": allocated " + allocated.bytes() + ", live " + live.bytes();
    }
}
