// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.internal.shared.OpenChains;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.opentest4j.AssertionFailedError;

/**
 * Fails a test that began an assertion and gave it no verdict, such as {@code
 * assertAllocations(code).ofType(Order.class)} without a limit. What a test begins in its set-up
 * counts as well; what it begins in another thread counts if tests run one after the other.
 */
final class ChainGuard {

    private static final Namespace NAMESPACE = Namespace.create(ChainGuard.class);

    /** The chains of a test, and those that were bound to its thread before. */
    private record Watched(OpenChains chains, @Nullable OpenChains before) {

        static Watched begin(ExtensionContext context) {
            OpenChains chains = OpenChains.ofTest(!ProcessWideLocks.isParallel(context));
            return new Watched(chains, chains.bind());
        }

        void end(boolean hasPassed) {
            OpenChains.rebind(before);
            List<String> open = chains.close();
            if (hasPassed && !open.isEmpty()) {
                throw new AssertionFailedError(String.join("\n", open));
            }
        }
    }

    private ChainGuard() {}

    /** Begins a test, unless another extension has. */
    static void begin(ExtensionContext context) {
        context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(Watched.class, key -> Watched.begin(context));
    }

    /**
     * Ends it.
     *
     * @throws AssertionFailedError if a chain has no verdict and the test has not failed anyway
     */
    static void end(ExtensionContext context) {
        Watched watched = context.getStore(NAMESPACE).remove(Watched.class, Watched.class);
        if (watched != null) {
            watched.end(context.getExecutionException().isEmpty());
        }
    }

    /** Runs a part of the test in this thread, which may be another one, with a time limit. */
    static void within(ExtensionContext context, ThrowingRunnable part) throws Throwable {
        if (context.getTestMethod().isEmpty()) {
            dynamicTest(Watched.begin(context), part);
            return;
        }
        Watched watched = context.getStore(NAMESPACE).get(Watched.class, Watched.class);
        if (watched == null) {
            part.run();
            return;
        }
        OpenChains before = watched.chains.bind();
        try {
            part.run();
        } finally {
            OpenChains.rebind(before);
        }
    }

    /** It has no set-up of its own. */
    private static void dynamicTest(Watched watched, ThrowingRunnable test) throws Throwable {
        boolean hasPassed = false;
        try {
            test.run();
            hasPassed = true;
        } finally {
            watched.end(hasPassed);
        }
    }
}
