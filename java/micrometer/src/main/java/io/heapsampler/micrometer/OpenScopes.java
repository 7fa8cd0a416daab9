// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.micrometer;

import io.heapsampler.HeapLabels;
import io.micrometer.observation.Observation;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The scopes of observations that are open in each thread, innermost first. Each method is about
 * the calling thread. A scope may be closed by another thread, which does not reach those of this
 * one: it is forgotten once its observation has stopped and this thread opens another one.
 */
final class OpenScopes {

    /** Many more than are nested: those were never closed. */
    private static final int MAX_DEPTH = 200;

    private final ThreadLocal<Deque<Entry>> entries = ThreadLocal.withInitial(ArrayDeque::new);

    /** The labels in it count for the thread; it has a scope only if they are new. */
    private record Entry(
            Observation.Context context,
            @Nullable HeapLabels labels,
            HeapLabels.@Nullable Scope scope) {

        void close() {
            if (scope != null) {
                scope.close();
            }
        }
    }

    /** Notes that an observation has stopped, in any thread. */
    void stop(Observation.Context context) {
        context.put(OpenScopes.class, Boolean.TRUE);
    }

    /** Returns the labels of the innermost scope whose observation runs; null if there are none. */
    @Nullable HeapLabels labels() {
        Deque<Entry> all = entries.get();
        while (!all.isEmpty() && all.element().context().containsKey(OpenScopes.class)) {
            all.pop().close();
        }
        if (all.size() >= MAX_DEPTH) {
            closeAll();
        }
        Entry top = entries.get().peek();
        return top == null ? null : top.labels();
    }

    /** Opens a scope of an observation with these labels, after {@link #labels()}. */
    void open(Observation.Context context, @Nullable HeapLabels labels) {
        Deque<Entry> all = entries.get();
        Entry outer = all.peek();
        HeapLabels inForce = outer == null ? null : outer.labels();
        HeapLabels.Scope scope = null;
        if (labels != null && !labels.equals(inForce)) {
            scope = labels.open();
        }
        all.push(new Entry(context, labels, scope));
    }

    /** Closes the innermost scope of an observation, and those in it; there may be none. */
    void close(Observation.Context context) {
        Deque<Entry> all = entries.get();
        if (all.stream().anyMatch(entry -> entry.context() == context)) {
            Entry last;
            do {
                last = all.pop();
                last.close();
            } while (last.context() != context);
        }
        if (all.isEmpty()) {
            entries.remove();
        }
    }

    /** Closes all scopes. */
    void closeAll() {
        entries.get().forEach(Entry::close);
        entries.remove();
    }
}
