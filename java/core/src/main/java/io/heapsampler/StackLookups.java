// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.Nullable;

/**
 * How the stacks of samples were found, since the library was loaded.
 *
 * <p>A stack that was met before is recognised, and one that is made of parts met before is put
 * together, both without asking the JVM, which costs many times as much. Some of what is found so
 * is compared with the JVM's own answer. A stack that differs from two answers in a row ends this
 * for the life of the process, and from then on the JVM is queried for every stack. See {@code
 * native/doc/fast-stacks.md}.
 *
 * <p>The system property {@code heapsampler.fastStacks=off} switches it off; {@code
 * heapsampler.verifyStacks=1} compares every stack. Both are read when sampling first begins.
 *
 * <pre>{@code
 * StackLookups stacks = HeapSampler.status().stackLookups();
 * if (!stacks.isFast()) {
 *     System.out.println("The JVM is queried for every stack: " + stacks.whyNotFast());
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class StackLookups {

    // Positions in the part of NativeBindings.status() that concerns stacks.
    private static final int ON = 0;
    private static final int KNOWN = 1;
    private static final int COMPOSED = 2;
    private static final int ASKED = 3;
    private static final int UNWALKABLE = 4;
    private static final int VERIFIED = 5;
    private static final int MISMATCHES = 6;

    private final long[] figures;
    private final @Nullable String reason;

    StackLookups(long[] figures, @Nullable String reason) {
        this.figures = figures;
        this.reason = reason;
    }

    /**
     * {@return whether stacks are found without asking the JVM, where they can be; false before
     * sampling first began, and when it was given up}
     */
    public boolean isFast() {
        return figures[ON] != 0;
    }

    /**
     * {@return why the JVM is queried for every stack: an English clause; null if {@link
     * #isFast()}}
     */
    public @Nullable String whyNotFast() {
        if (isFast()) {
            return null;
        }
        return reason == null ? "the library is not loaded" : reason;
    }

    /** {@return how many stacks were recognised whole} */
    public long known() {
        return figures[KNOWN];
    }

    /** {@return how many stacks were put together from parts met before} */
    public long composed() {
        return figures[COMPOSED];
    }

    /** {@return how many stacks the JVM was queried for because a part of them was new} */
    public long asked() {
        return figures[ASKED];
    }

    /** {@return how many stacks the JVM was queried for because they could not be walked} */
    public long unwalkable() {
        return figures[UNWALKABLE];
    }

    /**
     * {@return how many stacks that were found without the JVM were compared with its answer and
     * agreed}
     */
    public long verified() {
        return figures[VERIFIED];
    }

    /**
     * {@return how many did not agree, with two answers in a row; 0 or more; more than 1 only if
     * several threads found out at the same time} Each was recorded as the JVM gave it.
     */
    public long mismatches() {
        return figures[MISMATCHES];
    }

    /** {@return the counts on one line, for people, not for programs} */
    @Override
    public String toString() {
        return known()
                + " known, "
                + composed()
                + " composed, "
                + asked()
                + " requested, "
                + unwalkable()
                + " unwalkable, "
                + verified()
                + " verified, "
                + mismatches()
                + " mismatches"
                + (isFast() ? "" : " (all are requested from the JVM: " + whyNotFast() + ")");
    }
}
