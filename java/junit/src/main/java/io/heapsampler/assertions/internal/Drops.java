// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.ThreadTotals;
import io.heapsampler.assertions.internal.Measured.Bounds;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/** What a recording has lost: samples, threads or frames. It may stand for bytes beyond a limit. */
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
                "Limit allocated bytes instead, or narrow the assertion with types or packages."),
        THINNED(
                DropCause.THINNED,
                "not watched, because too many were alive or not yet collected",
                """
                Let the code do less in one run, narrow the assertion with types or packages, run \
                it beside fewer other tests, or start the sampler before with a greater \
                maxTracked.\
                """),
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
            String form = count == 1 ? "%,d sample is %s (%s)" : "%,d samples are %s (%s)";
            return count == 0 ? "" : String.format(Locale.ROOT, form, count, words, cause);
        }
    }

    static final String CUT =
            "stacks are cut or missing, so that some allocations may count or not";
    static final String CUT_HELP =
            """
            Start the sampler before with a greater maxDepth, or a greater maxStacks, maxNames and \
            maxSites: HeapSnapshot.dropped() says which.\
            """;

    private static final Set<Loss> OF_ALLOCATED = EnumSet.of(Loss.MEMORY);
    private static final Set<Loss> OF_LIVE =
            EnumSet.of(Loss.MEMORY, Loss.REFERENCE, Loss.VALUE, Loss.THINNED);

    /** The bytes of these samples are not at the sites, or not all of them. */
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
                result = result.widened(figure.low(), Double.POSITIVE_INFINITY, text, loss.help);
            }
        }
        return result;
    }

    /** Returns a figure of some threads that allows for the sum of threads without an id. */
    static Measured ofThreads(HeapSnapshot snapshot, long interval, Measured figure) {
        double most = 0;
        for (ThreadTotals thread : snapshot.threads()) {
            if (thread.threadId().isEmpty()) {
                most += Measured.of(thread.allocated().bytes(), interval, "", null).high();
            }
        }
        String text = Loss.THREAD.text(snapshot);
        return text.isEmpty()
                ? figure
                : figure.widened(figure.low(), figure.high() + most, text, Loss.THREAD.help);
    }

    /** Returns a figure that allows for allocations whose missing frames decide if they count. */
    static Measured ofStacks(
            HeapSnapshot snapshot,
            Scope scope,
            Function<HeapSite, HeapAmount> amount,
            Measured figure) {
        Estimate counted = Estimate.of(0, 0, 0, 0);
        Estimate notCounted = counted;
        for (HeapSite site : snapshot.sites()) {
            List<StackTraceElement> stack = Frames.isCut(site) ? Frames.ofCode(site.stack()) : null;
            if (stack != null && scope.dependsOnMore(site.className(), stack)) {
                Estimate bytes = amount.apply(site).bytes();
                if (scope.accepts(site.className(), stack)) {
                    counted = counted.plus(bytes);
                } else {
                    notCounted = notCounted.plus(bytes);
                }
            }
        }
        if (counted.samples() + notCounted.samples() == 0) {
            return figure;
        }
        double error = Bounds.CERTAINTY * (counted.standardError() + notCounted.standardError());
        return figure.widened(
                figure.low() - counted.value() - error,
                figure.high() + notCounted.value() + error,
                CUT,
                CUT_HELP);
    }
}
