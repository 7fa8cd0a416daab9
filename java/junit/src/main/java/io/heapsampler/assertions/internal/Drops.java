// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Samples that a recording has lost, and that may stand for bytes beyond a limit. {@link CutStacks}
 * knows those whose stacks were cut.
 */
final class Drops {

    /** What can be lost, why, and what helps. */
    private enum Loss {
        MEMORY(
                DropCause.NATIVE_MEMORY,
                "lost, because native memory was short",
                "Let the code do less in one run, or narrow the assertion with types or packages."),
        REFERENCE(
                DropCause.NO_REFERENCE,
                "not watched, because the JVM gave no weak reference",
                "Give the JVM more native memory, or let the code do less in one run."),
        VALUE(
                DropCause.VALUE_OBJECT,
                "not watched, because value objects have no weak references",
                "Limit what is allocated instead, or narrow the assertion with types or packages."),
        THINNED(
                DropCause.THINNED,
                "not watched, because too many were alive or not yet collected",
                "Let the code do less in one run, narrow the assertion with types or packages, run"
                        + " it beside fewer other tests, or start the sampler before with a greater"
                        + " maxTracked."),
        THREAD(
                DropCause.THREADS_FULL,
                "of threads that cannot be distinguished, because there were too many",
                "Start the sampler before with a greater maxThreads.");

        final DropCause cause;
        final String words;
        final String help;

        Loss(DropCause cause, String words, String help) {
            this.cause = cause;
            this.words = words;
            this.help = help;
        }

        String text(HeapSnapshot snapshot) {
            long count = snapshot.dropped().getOrDefault(cause, 0L);
            return count == 0
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            count == 1 ? "%,d sample is %s (%s)" : "%,d samples are %s (%s)",
                            count,
                            words,
                            cause);
        }
    }

    private static final Set<Loss> OF_ALLOCATED = EnumSet.of(Loss.MEMORY);
    private static final Set<Loss> OF_LIVE =
            EnumSet.of(Loss.MEMORY, Loss.REFERENCE, Loss.VALUE, Loss.THINNED);

    /** Of these samples, or of what they stand for, no site has all. */
    private static final Set<DropCause> UNSEEN =
            EnumSet.of(
                    DropCause.NATIVE_MEMORY,
                    DropCause.THINNED,
                    DropCause.CAPPED,
                    DropCause.BURST,
                    DropCause.PHANTOM);

    private Drops() {}

    /** May there be allocations of which the sites do not show everything? */
    static boolean mayMiss(HeapSnapshot snapshot) {
        return UNSEEN.stream().anyMatch(cause -> snapshot.dropped().getOrDefault(cause, 0L) > 0);
    }

    /** Were more objects alive, or not yet collected, than are watched? */
    static boolean isThinned(HeapSnapshot snapshot) {
        return !Loss.THINNED.text(snapshot).isEmpty();
    }

    /** Returns a figure of allocated bytes that allows for lost samples. */
    static Measured ofAllocated(HeapSnapshot snapshot, Measured figure) {
        return widened(OF_ALLOCATED, snapshot, figure);
    }

    /** Returns a figure of live bytes that allows for lost samples. */
    static Measured ofLive(HeapSnapshot snapshot, Measured figure) {
        return widened(OF_LIVE, snapshot, figure);
    }

    private static Measured widened(Set<Loss> losses, HeapSnapshot snapshot, Measured figure) {
        Measured result = figure;
        for (Loss loss : losses) {
            String text = loss.text(snapshot);
            if (!text.isEmpty()) {
                double endless = Double.POSITIVE_INFINITY;
                result = result.widened(figure.low(), endless, text, loss.help);
            }
        }
        return result;
    }

    /**
     * Returns a figure of some threads that allows for the threads whose samples were added up as
     * one.
     */
    static Measured ofThreads(HeapSnapshot snapshot, long interval, Measured figure) {
        List<ThreadTotals> others =
                snapshot.threads().stream().filter(thread -> thread.threadId().isEmpty()).toList();
        double most = 0;
        for (ThreadTotals thread : others) {
            most += Measured.of(thread.allocated().bytes(), interval, "", null).high();
        }
        String text = Loss.THREAD.text(snapshot);
        return text.isEmpty()
                ? figure
                : figure.widened(figure.low(), figure.high() + most, text, Loss.THREAD.help);
    }
}
