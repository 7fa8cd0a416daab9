// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the figures of one allocation site differ between two snapshots.
 *
 * <pre>{@code
 * for (SiteDelta delta : after.diff(before).growing()) {
 *     System.out.println("+" + delta.live().bytes() + " " + delta.className() + " at " + delta.stack().get(0));
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class SiteDelta {

    private final String className;
    private final List<HeapFrame> stack;
    private final @Nullable HeapSite laterSite;
    private final HeapAmount allocated;
    private final HeapAmount earlierLive;
    private final HeapAmount laterLive;
    private final Changes changes;
    private final int number;

    SiteDelta(
            String className,
            List<HeapFrame> stack,
            @Nullable HeapSite laterSite,
            HeapAmount allocated,
            HeapAmount earlierLive,
            HeapAmount laterLive,
            Changes changes,
            int number) {
        this.className = className;
        this.stack = stack;
        this.laterSite = laterSite;
        this.allocated = allocated;
        this.earlierLive = earlierLive;
        this.laterLive = laterLive;
        this.changes = changes;
        this.number = number;
    }

    /**
     * {@return the Java name of the class, such as {@code byte[]}; {@code (other)} for samples that
     * had no room of their own}
     */
    public String className() {
        return className;
    }

    /**
     * {@return the stack, leaf first; unmodifiable; may be empty; where several lines of its
     * methods are added up, with the lines of most live bytes in the later snapshot}
     */
    public List<HeapFrame> stack() {
        return stack;
    }

    /**
     * {@return the site in the later snapshot, whose stack this one has; null if it is not there;
     * of several that are added up, the one with most live bytes}
     */
    public @Nullable HeapSite laterSite() {
        return laterSite;
    }

    /**
     * {@return the allocations between the two snapshots: later minus earlier; between snapshots of
     * one recording without a reset its error is that of the samples in between, otherwise those of
     * both sides add up}
     */
    public HeapAmount allocated() {
        return allocated;
    }

    /**
     * {@return by how much the confirmed live objects have grown: later minus earlier, negative if
     * they have shrunk; the estimates' samples are those that are not in both} Its error is that of
     * the objects that have come and of those that have gone: an object that both snapshots have
     * confirmed adds nothing. Where none is recognised in both, as in snapshots of two processes,
     * the errors of both sides add up. Where all samples that are not in both are on one side, the
     * error includes an object of the other side that may just have been missed.
     */
    public HeapAmount live() {
        return growth().growth(earlierLive, laterLive);
    }

    /**
     * {@return the chance (p-value) with which a site whose live bytes do not grow looks as if it
     * grew at least this much; from 0 to 1; 1 where no growth is seen, 0 where nothing was left to
     * chance} It is meant for a single site: of many sites, some have a small one. {@link
     * HeapDiff#growing()} takes that into account.
     */
    public double chance() {
        return growth().chance();
    }

    /** {@return the live objects in the earlier snapshot, in bytes and objects} */
    public HeapAmount earlierLive() {
        return earlierLive;
    }

    /** {@return the live objects in the later snapshot, in bytes and objects} */
    public HeapAmount laterLive() {
        return laterLive;
    }

    /** The samples for and against growth. */
    Evidence growth() {
        return changes.of(number);
    }

    /** The least growth in bytes that is sure. */
    double low() {
        return live().bytes().low();
    }

    /** The bytes of {@link #live()}, without the objects around them, for those who sort. */
    double liveGrowth() {
        return laterLive.bytes().value() - earlierLive.bytes().value();
    }

    /** The bytes of {@link #allocated()}, likewise. */
    double allocatedGrowth() {
        return allocated.bytes().value();
    }

    @Override
    public String toString() {
        String at = stack.isEmpty() ? "" : " at " + stack.get(0);
        return className + at + ": live " + live().bytes() + ", allocated " + allocated().bytes();
    }
}
