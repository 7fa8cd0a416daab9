// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;

/**
 * The three figures that a site, a class, a thread, a label and the whole snapshot have in common.
 *
 * <p>The allocated amount is the sum of the live, the unconfirmed and the dead one. Allocation is
 * counted in full; life and death rest on the samples that could be tracked, which are fewer where
 * the budget of weak references was reached.
 *
 * <pre>{@code
 * static double share(HeapFigures part, HeapFigures whole) {
 *     return part.allocated().bytes().value() / whole.allocated().bytes().value();
 * }
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public sealed interface HeapFigures
        permits HeapSite, ClassTotals, ThreadTotals, LabelTotals, HeapTotals {

    /** {@return the allocations while sampling was on, in bytes and objects} */
    HeapAmount allocated();

    /**
     * {@return what has survived a collection that could have freed it, see {@link Liveness#LIVE},
     * in bytes and objects}
     */
    HeapAmount live();

    /**
     * {@return the allocations since such a collection, see {@link Liveness#UNCONFIRMED}, in bytes
     * and objects}
     */
    HeapAmount unconfirmed();
}
