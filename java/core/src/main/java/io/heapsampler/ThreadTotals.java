// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Aggregates.Kind;
import io.heapsampler.internal.SnapshotData;
import java.util.OptionalLong;

/**
 * The allocations of one thread, and how much of them is still live.
 *
 * <pre>{@code
 * for (ThreadTotals t : snapshot.threads()) {
 *     System.out.println(t.threadName() + ": " + t.allocated().bytes());
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class ThreadTotals implements HeapFigures {

    private final SnapshotData data;
    private final int index;

    ThreadTotals(SnapshotData data, int index) {
        this.data = data;
        this.index = index;
    }

    /**
     * {@return the name that the thread had when it was first sampled, which may be empty; {@code
     * (other)} for threads that had no room of their own}
     */
    public String threadName() {
        return data.threadName(index);
    }

    /**
     * {@return the id, as {@code Thread.threadId()} gives it; empty for the sum of the threads that
     * had no room of their own}
     */
    public OptionalLong threadId() {
        long id = data.threadId(index);
        return id < 0 ? OptionalLong.empty() : OptionalLong.of(id);
    }

    @Override
    public HeapAmount allocated() {
        return data.aggregates().byThread(Kind.ALLOCATED).amount(index);
    }

    @Override
    public HeapAmount live() {
        return data.aggregates().byThread(Kind.LIVE).amount(index);
    }

    @Override
    public HeapAmount unconfirmed() {
        return data.aggregates().byThread(Kind.UNCONFIRMED).amount(index);
    }

    @Override
    public String toString() {
        return threadName() + ": allocated " + allocated().bytes() + ", live " + live().bytes();
    }
}
