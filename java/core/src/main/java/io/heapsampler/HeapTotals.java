// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Aggregates;
import io.heapsampler.internal.Aggregates.Kind;

/**
 * The total allocations, and how much of them is still live.
 *
 * <pre>{@code
 * HeapTotals totals = HeapSampler.snapshot().totals();
 * System.out.println(totals.allocated().bytes() + " allocated, " + totals.live().bytes() + " of it live");
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapTotals implements HeapFigures {

    private final HeapAmount allocated;
    private final HeapAmount live;
    private final HeapAmount unconfirmed;

    HeapTotals(Aggregates sums) {
        this.allocated = sums.total(Kind.ALLOCATED).amount(0);
        this.live = sums.total(Kind.LIVE).amount(0);
        this.unconfirmed = sums.total(Kind.UNCONFIRMED).amount(0);
    }

    @Override
    public HeapAmount allocated() {
        return allocated;
    }

    @Override
    public HeapAmount live() {
        return live;
    }

    @Override
    public HeapAmount unconfirmed() {
        return unconfirmed;
    }

    @Override
    public String toString() {
        return "allocated "
                + allocated.bytes()
                + ", live "
                + live.bytes()
                + ", unconfirmed "
                + unconfirmed.bytes();
    }
}
