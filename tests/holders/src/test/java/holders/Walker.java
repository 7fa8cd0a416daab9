// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Goes a path step by step in a heap: from all objects that the steps so far may have led to, along
 * the next one.
 *
 * @param <O> an object
 */
final class Walker<O> {

    /** Where a path leaves steps out, as many objects are tried. */
    private static final int MOST_TRIED = 200_000;

    private static final String FINALIZER = "java.lang.ref.Finalizer";

    private final Heap<O> heap;

    Walker(Heap<O> heap) {
        this.heap = heap;
    }

    /**
     * Returns the objects where the path ends.
     *
     * @throws IllegalStateException if some step leads nowhere
     */
    Set<O> follow(Path path) {
        List<Step> steps = path.steps();
        Step first = steps.get(0);
        Set<O> here = only(first, start(path));
        check(here, path, first);
        if (first.isCut()) {
            here = reachable(here);
        }
        for (Step step : steps.subList(1, steps.size())) {
            Set<O> next = along(here, step);
            check(next, path, step);
            here = step.isCut() ? reachable(next) : next;
        }
        return here;
    }

    private void check(Set<O> objects, Path path, Step step) {
        if (objects.isEmpty()) {
            throw new IllegalStateException("step \"" + step + "\" leads nowhere in " + path);
        }
    }

    private Collection<O> start(Path path) {
        return switch (path.root()) {
            case STATIC -> heap.statics(path.owner(), path.name());
            case THREAD -> path.thread() == 0 ? heap.roots(path) : heap.threads(path.thread());
            case FINALIZER -> finalizable();
            default -> heap.roots(path);
        };
    }

    /** Everything that has a finalizer and lives is in a list of the JDK's. */
    private Set<O> finalizable() {
        Set<O> all = heap.set();
        Set<O> links = heap.set();
        Deque<O> open = new ArrayDeque<>(heap.statics(FINALIZER, "unfinalized"));
        while (!open.isEmpty()) {
            O link = open.pop();
            if (links.add(link)) {
                all.addAll(heap.field(link, "java.lang.ref.Reference", "referent"));
                open.addAll(heap.field(link, FINALIZER, "next"));
            }
        }
        return all;
    }

    private Set<O> along(Set<O> here, Step step) {
        Set<O> found = heap.set();
        Deque<O> open = new ArrayDeque<>(here);
        while (!open.isEmpty()) {
            for (O next : only(step, next(open.pop(), step))) {
                if (found.add(next) && step.isRepeated()) {
                    open.add(next);
                }
            }
        }
        return found;
    }

    private Collection<O> next(O object, Step step) {
        return switch (step.kind()) {
            case FIELD -> heap.field(object, step.owner(), step.field());
            case STATIC_FIELD -> heap.statics(step.owner(), step.field());
            case ELEMENT -> heap.elements(object);
            default -> heap.unnamed(object, step.kind());
        };
    }

    private Set<O> only(Step step, Collection<O> objects) {
        Set<O> some = heap.set();
        String className = Names.normal(step.to());
        for (O object : objects) {
            if (heap.isClass(object) == step.leadsToClass()
                    && heap.className(object).equals(className)) {
                some.add(object);
            }
        }
        return some;
    }

    private Set<O> reachable(Set<O> from) {
        Set<O> found = heap.set();
        found.addAll(from);
        Deque<O> open = new ArrayDeque<>(from);
        while (!open.isEmpty() && found.size() < MOST_TRIED) {
            for (O next : heap.all(open.poll())) {
                if (found.add(next)) {
                    open.add(next);
                }
            }
        }
        return found;
    }
}
