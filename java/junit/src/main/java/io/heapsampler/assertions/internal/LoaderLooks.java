// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The class loaders of the JVM, as seen after a collection at some moments between runs: the looks
 * of a trial. It knows each loader by a weak reference, and since which look. Used by one thread at
 * a time.
 */
final class LoaderLooks {

    /** A loader that was seen alive. */
    static final class Seen {

        private final WeakReference<ClassLoader> reference;
        private final String className;
        private final int since;

        Seen(ClassLoader loader, int since) {
            this.reference = new WeakReference<>(loader);
            this.className = JvmCommand.withoutNumber(loader.getClass().getName());
            this.since = since;
        }

        String className() {
            return className;
        }

        /** The first look at which it was alive. */
        int since() {
            return since;
        }

        WeakReference<ClassLoader> reference() {
            return reference;
        }

        boolean isGone() {
            return reference.refersTo(null);
        }
    }

    private final Predicate<String> counts;
    private final Consumer<Consumer<ClassLoader>> all;
    private final List<Seen> alive = new ArrayList<>();

    /** By look, the loaders that were alive. */
    private final List<List<Seen>> looks = new ArrayList<>();

    private final List<Integer> runs = new ArrayList<>();

    /**
     * Has seen nothing yet.
     *
     * @param counts does a loader of a class count?
     * @param all shows each class loader of the JVM
     */
    LoaderLooks(Predicate<String> counts, Consumer<Consumer<ClassLoader>> all) {
        this.counts = counts;
        this.all = all;
    }

    /** Takes in loaders that were not there at the last look. Some may be dead: collect then. */
    void find() {
        Set<ClassLoader> known = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Seen each : alive) {
            known.add(each.reference.get());
        }
        all.accept(
                loader -> {
                    if (!known.contains(loader)) {
                        Seen seen = new Seen(loader, looks.size());
                        if (counts.test(seen.className)) {
                            alive.add(seen);
                        }
                    }
                });
    }

    /** Adds a look, after the given number of runs. */
    void add(int run) {
        dropDead();
        looks.add(List.copyOf(alive));
        runs.add(run);
    }

    /** Forgets the last look, to take it anew. */
    void removeLast() {
        looks.remove(looks.size() - 1);
        runs.remove(runs.size() - 1);
    }

    /** Forgets loaders that are gone by now, but not that they were there. */
    void dropDead() {
        alive.removeIf(Seen::isGone);
    }

    /** How many looks there have been. */
    int count() {
        return looks.size();
    }

    /** How often the code had been run at a look. */
    int run(int look) {
        return runs.get(look);
    }

    /** The classes of loaders that came after a look and are alive. */
    Set<String> classesSince(int look) {
        Set<String> names = new TreeSet<>();
        for (Seen each : alive) {
            if (each.since > look) {
                names.add(each.className);
            }
        }
        return names;
    }

    /** Those that came after a look and are alive: of a class, or of all if it is null. */
    List<Seen> since(int look, @Nullable String className) {
        return alive.stream().filter(each -> each.since > look && isOf(each, className)).toList();
    }

    /** How many were alive at each look: of a class, or of all if it is null. */
    double[] alive(@Nullable String className) {
        return looks.stream()
                .mapToDouble(look -> look.stream().filter(each -> isOf(each, className)).count())
                .toArray();
    }

    /** How many of those that are alive now were there at each look. */
    double[] staying(@Nullable String className) {
        double[] counts = new double[looks.size()];
        for (Seen each : alive) {
            for (int look = each.since; look < counts.length && isOf(each, className); look++) {
                counts[look]++;
            }
        }
        return counts;
    }

    /** How many were new at each look. */
    double[] fresh(String className) {
        double[] counts = new double[looks.size()];
        for (int look = 0; look < counts.length; look++) {
            for (Seen each : looks.get(look)) {
                counts[look] += each.since == look && isOf(each, className) ? 1 : 0;
            }
        }
        return counts;
    }

    private static boolean isOf(Seen each, @Nullable String className) {
        return className == null || each.className.equals(className);
    }
}
