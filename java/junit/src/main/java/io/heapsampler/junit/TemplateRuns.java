// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Repeats;
import io.heapsampler.assertions.internal.Trials;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * The runs of one {@link AllocationTest}, and the trials that observe them. JUnit asks for the next
 * invocation when the one before has ended. Used by one thread at a time; closed with the test.
 */
@SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones close this, too.
final class TemplateRuns
        implements Iterator<TestTemplateInvocationContext>, Store.CloseableResource, AutoCloseable {

    private static final Namespace NAMESPACE = Namespace.create(TemplateRuns.class);

    private final Repeats planned;
    private @Nullable Trials trials;
    private int begun;
    private int completed;

    private TemplateRuns(Repeats planned) {
        this.planned = planned;
    }

    /** Begins the runs of a test, of which so many are expected. */
    static TemplateRuns begin(ExtensionContext template, Repeats planned) {
        TemplateRuns runs = new TemplateRuns(planned);
        template.getStore(NAMESPACE).put(TemplateRuns.class, runs);
        return runs;
    }

    /** Returns those to which an invocation belongs. */
    static TemplateRuns of(ExtensionContext invocation) {
        return invocation.getStore(NAMESPACE).get(TemplateRuns.class, TemplateRuns.class);
    }

    /** Returns the trials, which begin with the first run. */
    Trials trials(Supplier<Trials> beginning) {
        if (trials == null) {
            trials = beginning.get();
        }
        return trials;
    }

    /** The method has returned. */
    void complete() {
        completed = begun;
    }

    /** After a run that was not completed, nothing that would follow could be judged. */
    @Override
    public boolean hasNext() {
        if (begun == 0) {
            return true;
        }
        return completed == begun && trials != null && trials.needMore();
    }

    @Override
    public TestTemplateInvocationContext next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        begun++;
        return new Run(name());
    }

    private String name() {
        int judged = begun - planned.warmup();
        if (judged <= 0) {
            return "warm-up " + begun + " of " + planned.warmup();
        }
        return judged <= planned.judged()
                ? "run " + judged + " of " + planned.judged()
                : "run " + judged;
    }

    @Override
    public void close() {
        if (trials != null) {
            trials.close();
        }
    }

    /** One invocation. */
    private record Run(String name) implements TestTemplateInvocationContext {

        @Override
        public String getDisplayName(int invocationIndex) {
            return name;
        }
    }
}
