// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.holders.HolderTree;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Which references keep live objects alive, and how many bytes each of them accounts for: the paths
 * from the roots to live samples, merged into a tree.
 *
 * <pre>{@code
 * HeldBy held = HeapSampler.heldBy(HeldByOptions.topByLive(3));
 * System.out.println(held.toText(30));
 * for (Holder holder : held.holders()) {
 *     System.out.println(holder.text() + " holds " + holder.held().bytes() + " bytes");
 * }
 * }</pre>
 *
 * <p>Of the paths to an object the one is shown that explains most: through static fields and
 * thread-locals of the application before the stacks of threads, and never through weak or phantom
 * references. The amounts are sums over the live samples, as in {@link HeapSite#live()}.
 *
 * <p>Immutable and safe for use by many threads. All lists and maps are unmodifiable.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class HeldBy {

    /** How the heap was walked. */
    public enum Way {
        /**
         * Not at all: no live sample matched, or there was no way; {@link HeldBy#notes()} has why.
         */
        NONE,

        /** In one stop of the application. */
        ONE_STOP,

        /** In a child process, which is a copy; the application stopped while it was made. */
        CHILD,

        /** In several short stops of the application. */
        PASSES
    }

    private static final Way[] WAYS = Way.values();
    private static final Unresolved[] CAUSES = Unresolved.values();

    private final HeapSnapshot snapshot;
    private final HeldPaths paths;
    private final List<Holder> holders;
    private final Map<Unresolved, HeapAmount> unresolved;
    private final HeapAmount total;
    private final List<Note> notes;

    HeldBy(HeapSnapshot snapshot, HeldPaths paths) {
        HolderTree tree = HolderTree.of(snapshot.data().samples, paths);
        this.snapshot = snapshot;
        this.paths = paths;
        this.holders = Holder.roots(snapshot, tree, paths.hasDominators());
        Map<Unresolved, HeapAmount> missing = new EnumMap<>(Unresolved.class);
        HeapAmount sum = HeapAmount.ZERO;
        for (Holder holder : holders) {
            sum = sum.plus(holder.held());
        }
        for (Unresolved cause : CAUSES) {
            HeapAmount amount = tree.unresolved(1 + cause.ordinal());
            missing.put(cause, amount);
            sum = sum.plus(amount);
        }
        this.unresolved = Collections.unmodifiableMap(missing);
        this.total = sum;
        this.notes = HeldByNotes.of(paths, total, unresolved);
    }

    /** {@return the roots of the tree: most held bytes first, then by text} */
    public List<Holder> holders() {
        return holders;
    }

    /** {@return the live bytes and objects without a known holder: each cause, 0 included} */
    public Map<Unresolved, HeapAmount> unresolved() {
        return unresolved;
    }

    /**
     * {@return all chosen live bytes and objects: the sum of those of {@link #holders()} and {@link
     * #unresolved()}}
     */
    public HeapAmount total() {
        return total;
    }

    /** {@return how the heap was walked} */
    public Way way() {
        return WAYS[paths.way()];
    }

    /** {@return the longest time for which the application stopped; 0 if it did not} */
    public Duration longestPause() {
        return Duration.of(paths.longestPauseMicros(), ChronoUnit.MICROS);
    }

    /** {@return how long the search took} */
    public Duration time() {
        return Duration.of(paths.timeMicros(), ChronoUnit.MICROS);
    }

    /**
     * {@return the notes on these figures, such as {@code holders-subsampled}; empty if nothing
     * limits them}
     */
    public List<Note> notes() {
        return notes;
    }

    /**
     * {@return the snapshot whose live samples these are, which contains this answer: {@link
     * HeapSnapshot#writeTo} keeps it, and {@link HeapSnapshot#heldBy()} returns it}
     */
    public HeapSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Draws the tree for people: a reference a line, with the held bytes where paths divide, their
     * errors at 95 %, their share of {@link #total()}, and the {@linkplain Holder#isSuspect()
     * suspects} underlined. If there is not enough room, the holders with most bytes are shown, and
     * the middle of long paths is left out.
     *
     * @param lines how many lines at most, 1 or more
     * @return the lines, separated by line feeds, without one at the end
     * @throws IllegalArgumentException if there are no lines
     */
    public String toText(int lines) {
        if (lines < 1) {
            throw new IllegalArgumentException(
                    "lines must be 1 or more, but is " + lines + "; 12 show the path of one site");
        }
        return HeldByText.of(this, lines);
    }

    /** {@return the first line of {@link #toText}} */
    @Override
    public String toString() {
        return HeldByText.of(this, 1);
    }
}
