// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.LiveSeries.Kind;
import io.heapsampler.assertions.internal.LiveSeries.Trend;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the looks of a trial which class loaders stay, by the names of their classes. A
 * loader has no turn of its own: what tells a leak from a cache is whether run after run leaves
 * more of them.
 */
final class LoaderJudge {

    private final LeakRule often;
    private final LoaderLooks looks;

    LoaderJudge(LeakRule often, LoaderLooks looks) {
        this.often = often;
        this.looks = looks;
    }

    /** Is a loader alive that came after the base? */
    boolean hasLeft() {
        return !looks.classesSince(LeakJudge.BASE).isEmpty();
    }

    private int lastOfProof() {
        return Math.min(looks.count() - 1, LeakJudge.PROOF + often.proofRuns() - 1);
    }

    /** Would further runs show more? Loaders whose class is allowed neither need nor end them. */
    boolean isOpen() {
        return growing().stream().allMatch(this::isAllowed)
                && !open().stream().allMatch(this::isAllowed);
    }

    private boolean isAllowed(String className) {
        return often.allowed().covers(className, List.of());
    }

    /** The classes of loaders of which it is open whether they go on growing. */
    List<String> open() {
        return kinds().stream().filter(each -> kind(looks.alive(each)) == Kind.UNDECIDED).toList();
    }

    /** None where there was no proof: no loader of the iterations was alive. */
    private Set<String> kinds() {
        return looks.count() <= LeakJudge.PROOF ? Set.of() : looks.classesSince(LeakJudge.BASE);
    }

    /** The classes of loaders that grow, or of which each run leaves one. */
    List<String> suspects() {
        List<String> suspects = new ArrayList<>(growing());
        suspects.addAll(replaced());
        return suspects;
    }

    /**
     * The classes of loaders of which there are more and more, those that stay. Where none of them
     * grows by itself, all of them may together.
     */
    List<String> growing() {
        List<String> growing = new ArrayList<>();
        for (String each : kinds()) {
            if (isGrowing(each)) {
                growing.add(each);
            }
        }
        return growing.isEmpty() && !kinds().isEmpty() && isGrowing(null)
                ? List.copyOf(kinds())
                : growing;
    }

    /** Those that are gone by now, when soft references were cleared, count for nothing. */
    private boolean isGrowing(@Nullable String className) {
        return kind(looks.alive(className)) == Kind.GROWING
                && kind(looks.staying(className)) == Kind.GROWING;
    }

    private Kind kind(double[] counts) {
        int end = lastOfProof();
        int last = counts.length - 1;
        Kind kind = Trend.of(counts, LeakJudge.PROOF, end).afterEachRun();
        if (kind != Kind.UNDECIDED || last == end) {
            return kind;
        }
        Trend all = Trend.of(counts, LeakJudge.PROOF, last);
        Trend later = Trend.of(counts, end, last);
        if (looks.count() == often.looks()) {
            return all.afterMoreRuns(later);
        }
        boolean isDoubled = looks.run(last) >= 2 * looks.run(LeakJudge.LOOKED);
        return all.afterTooFewRuns(later, isDoubled);
    }

    /**
     * The classes of loaders of which each run leaves one that stays until the next run, which puts
     * another in its place. A full cache keeps several, of which the oldest goes.
     */
    List<String> replaced() {
        return kinds().stream().filter(this::isReplaced).toList();
    }

    boolean hasReplaced() {
        return !replaced().isEmpty();
    }

    private boolean isReplaced(String className) {
        int last = looks.count() - 1;
        double[] fresh = looks.fresh(className);
        for (int look = LeakJudge.PROOF; look <= last; look++) {
            if (fresh[look] == 0) {
                return false;
            }
        }
        List<LoaderLooks.Seen> stay = looks.since(LeakJudge.BASE, className);
        return !stay.isEmpty()
                && stay.size() <= fresh[lastOfProof()]
                && stay.stream().allMatch(each -> each.since() == last);
    }
}
