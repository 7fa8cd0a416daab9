// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.SnapshotData;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Why a sample was dropped, folded into another entry or shortened. Nothing is left out of a
 * snapshot without being counted here. Each cause says which figures it {@linkplain #affects
 * affects}, and what {@linkplain #help() helps}.
 *
 * <pre>{@code
 * snapshot.dropped().forEach((cause, count) -> {
 *     if (count > 0 && cause.affects(DropCause.Figure.LIVE)) {
 *         System.out.println(cause + ": " + count + ". What helps: " + cause.help());
 *     }
 * });
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum DropCause {
    // The order is that of enum hs_drop in hs_status.h; a test compares the two.

    /**
     * Counted with the first frames of its stack, or with none: no room for the whole stack, or no
     * longer, when new tables followed full ones; see {@link
     * SamplerOptions.Builder#maxStacks(int)}.
     */
    STACKS_FULL("raise maxStacks", Figure.ALLOCATED, Figure.LIVE, Figure.AGES),

    /**
     * Counted with a stack that ends where a frame found no room, or with the class "(unknown)": no
     * room for a name; see {@link SamplerOptions.Builder#maxNames(int)}.
     */
    NAMES_FULL("raise maxNames", Figure.ALLOCATED, Figure.LIVE, Figure.AGES),

    /**
     * Counted with its class alone, without a stack, or at the site "(other)": no room for the
     * site; see {@link SamplerOptions.Builder#maxSites(int)}.
     */
    SITES_FULL("raise maxSites", Figure.ALLOCATED, Figure.LIVE, Figure.AGES),

    /**
     * Counted at the thread "(other)": no room for the thread; see {@link
     * SamplerOptions.Builder#maxThreads(int)}. Virtual threads take half of that room at most.
     */
    THREADS_FULL("raise maxThreads", Figure.ALLOCATED, Figure.LIVE),

    /** Counted with an empty stack, or without its class: the JVM refused to give them. */
    NO_STACK(
            "run again, because the JVM gave no stack", Figure.ALLOCATED, Figure.LIVE, Figure.AGES),

    /** Counted as allocated but not as live: the JVM gave no weak reference. */
    NO_REFERENCE("run again, because the JVM gave no weak reference", Figure.LIVE, Figure.AGES),

    /**
     * Not tracked for liveness, and others weigh more instead; see {@link
     * SamplerOptions.Builder#maxTracked(int)}.
     */
    THINNED("raise maxTracked", Figure.LIVE, Figure.AGES),

    /**
     * Not counted: its sample point was passed while sampling was off (JDK 25 and later), or
     * another agent may have set it.
     */
    PHANTOM("no action is needed"),

    /**
     * Not counted: an allocation of HeapSampler itself, its doctor, exports, server, pushers and
     * agent included. What it calls of the application counts.
     */
    OWN("no action is needed"),

    /** Not counted: no native memory was left. */
    NATIVE_MEMORY(
            "give the process more native memory",
            Figure.ALLOCATED,
            Figure.LIVE,
            Figure.AGES,
            Figure.DEAD_SAMPLES),

    /**
     * Counted, with a stack cut at the maximum depth; see {@link
     * SamplerOptions.Builder#maxDepth(int)}.
     */
    TRUNCATED("raise maxDepth", Figure.ALLOCATED, Figure.LIVE, Figure.AGES),

    /**
     * A dead sample that left the bounded ring; its lifetime stays in the histogram of its site.
     */
    DEAD_FORGOTTEN("raise maxDead", Figure.DEAD_SAMPLES),

    /**
     * Not counted: there would have been too many at a time, and what is kept stands for it; see
     * {@link SamplingStrategy#atMostOnePer}.
     */
    CAPPED("no action is needed"),

    /**
     * Not counted, as {@link #CAPPED}, in a period with many more samples than the periods before:
     * perhaps nothing that is kept stands for it, so figures are probably too low.
     */
    BURST("use a larger interval or longer periods", Figure.ALLOCATED, Figure.LIVE, Figure.AGES),

    /**
     * Counted as allocated but not as live: a value object (preview in JDK 28). It has no identity,
     * so there is no weak reference to it, and its lifetime is unknown.
     */
    VALUE_OBJECT("use the allocated figures", Figure.LIVE, Figure.AGES),

    /**
     * Counted with the labels "(other)": no room for the set of labels, or no longer, when new
     * tables followed full ones; see {@link HeapLabels}. Stack and class are as exact as without
     * labels. It also counts each scope that a virtual thread opens while about a million others
     * have one open. One of these threads then has no labels until it opens its next scope.
     */
    LABELS_FULL("label by a few kinds of work, not by ids", Figure.LABELS);

    /** A kind of figure that a drop may make wrong or less certain. */
    public enum Figure {
        /** Allocations: in total, by site, class or thread. */
        ALLOCATED,

        /** Live and unconfirmed objects, likewise. */
        LIVE,

        /** The ages of the living and the lifetimes of the dead. */
        AGES,

        /** The single dead samples in {@link HeapSnapshot#samples()}. */
        DEAD_SAMPLES,

        /** Figures by label; see {@link HeapSnapshot#labels(String)}. */
        LABELS
    }

    private final String help;

    /** One bit for each figure, at its ordinal number. */
    private final int affected;

    DropCause(String help, Figure... affected) {
        this.help = help;
        int bits = 0;
        for (Figure figure : affected) {
            bits |= 1 << figure.ordinal();
        }
        this.affected = bits;
    }

    /**
     * Returns whether figures of a kind are wrong, less certain, or counted at another place.
     *
     * @param figure the kind
     * @return false where such a drop changes no such figure
     */
    public boolean affects(Figure figure) {
        return (affected & (1 << figure.ordinal())) != 0;
    }

    /**
     * {@return what helps against it: an English clause, such as {@code raise maxStacks}, which is
     * an option of {@link SamplerOptions}}
     */
    public String help() {
        return help;
    }

    /** Returns the counts of a snapshot: each cause, 0 included. */
    static Map<DropCause, Long> counts(SnapshotData data) {
        Map<DropCause, Long> counts = new EnumMap<>(DropCause.class);
        for (DropCause cause : DropCause.values()) {
            counts.put(cause, data.dropped(cause.ordinal()));
        }
        return Collections.unmodifiableMap(counts);
    }
}
