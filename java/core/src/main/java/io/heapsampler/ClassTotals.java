// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Aggregates;
import io.heapsampler.internal.Aggregates.Kind;

/**
 * The allocations of one class, and how much of them is still live.
 *
 * <pre>{@code
 * for (ClassTotals c : snapshot.classes()) {
 *     System.out.println(c.className() + ": " + c.live().objects());
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class ClassTotals implements HeapFigures {

    private final Aggregates sums;
    private final int index;

    ClassTotals(Aggregates sums, int index) {
        this.sums = sums;
        this.index = index;
    }

    /**
     * {@return the Java name of the class, such as {@code byte[]} or {@code
     * java.util.HashMap$Node}; {@code (other)} for samples that had no room of their own}
     */
    public String className() {
        return sums.classNames[index];
    }

    @Override
    public HeapAmount allocated() {
        return sums.byClass(Kind.ALLOCATED).amount(index);
    }

    @Override
    public HeapAmount live() {
        return sums.byClass(Kind.LIVE).amount(index);
    }

    @Override
    public HeapAmount unconfirmed() {
        return sums.byClass(Kind.UNCONFIRMED).amount(index);
    }

    @Override
    public String toString() {
        return className() + ": allocated " + allocated().bytes() + ", live " + live().bytes();
    }
}
