// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * Why a sample was dropped, folded into another entry or shortened. Nothing is left out of a
 * snapshot without being counted here.
 *
 * <pre>{@code
 * snapshot.dropped().forEach((cause, count) -> System.out.println(cause + ": " + count));
 * }</pre>
 */
public enum DropCause {
    // The order is that of enum hs_drop in hs_status.h; a test compares the two.

    /**
     * Counted at the site "(other)": no room for the stack; see {@link
     * SamplerOptions.Builder#maxStacks(int)}.
     */
    STACKS_FULL,

    /**
     * Counted at the site "(other)": no room for a name or a frame; see {@link
     * SamplerOptions.Builder#maxNames(int)}.
     */
    NAMES_FULL,

    /**
     * Counted at the site "(other)": no room for the site; see {@link
     * SamplerOptions.Builder#maxSites(int)}.
     */
    SITES_FULL,

    /**
     * Counted at the thread "(other)": no room for the thread; see {@link
     * SamplerOptions.Builder#maxThreads(int)}.
     */
    THREADS_FULL,

    /** Counted with an empty stack: the JVM refused to give one. */
    NO_STACK,

    /** Counted as allocated but not as live: the JVM gave no weak reference. */
    NO_REFERENCE,

    /**
     * Not tracked for liveness, and others weigh more instead; see {@link
     * SamplerOptions.Builder#maxTracked(int)}.
     */
    THINNED,

    /**
     * Not counted: its sample point was passed while sampling was off (JDK 25 and later), or
     * another agent may have set it.
     */
    PHANTOM,

    /**
     * Not counted: an allocation of HeapSampler itself, its doctor, exports, server, pushers and
     * agent included. What it calls of the application counts.
     */
    OWN,

    /** Not counted: no native memory was left. */
    NATIVE_MEMORY,

    /**
     * Counted, with a stack cut at the greatest depth; see {@link
     * SamplerOptions.Builder#maxDepth(int)}.
     */
    TRUNCATED,

    /**
     * A dead sample that left the bounded ring; its lifetime stays in the histogram of its site.
     */
    DEAD_FORGOTTEN,

    /**
     * Not counted: there would have been too many at a time, and what is kept stands for it; see
     * {@link Strategy#atMostOnePer}.
     */
    CAPPED,

    /**
     * Not counted, as {@link #CAPPED}, in a period with many more samples than the periods before:
     * perhaps nothing that is kept stands for it, so figures are probably too low.
     */
    BURST
}
