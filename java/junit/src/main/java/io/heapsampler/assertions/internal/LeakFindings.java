// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.Trend.Kind;
import io.heapsampler.internal.shared.HeapReach;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a trial has found: leaks, and sites that grew and are none. */
final class LeakFindings {

    /** Why a site that grew is no leak. */
    enum Other {
        WITHIN("within perSite"),
        ALLOWED("allowed"),
        SOFT("only softly reachable, which goes before memory runs out"),
        REPLACED("where newer objects took the place of older ones"),
        STOPPED("that grew for a while only"),
        OPEN("that grew too seldom to tell");

        final String words;

        Other(String words) {
            this.words = words;
        }
    }

    /** Allocates itself while it looks. */
    private static final String HARNESS = LeakFindings.class.getPackageName() + '.';

    private final LeakRule rule;
    private final LeakJudge judge;
    private final LeakLooks looks;

    /** What the JVM has counted; null if it has not been asked, or could not. */
    private final @Nullable Map<String, LiveSeries> classes;

    private final boolean isProven;
    private final boolean isExact;
    private final List<Leak> leaks = new ArrayList<>();
    private final List<Leak> open = new ArrayList<>();
    private final Map<Other, Integer> others = new EnumMap<>(Other.class);
    private boolean isOpen;

    /**
     * Sorts the sites.
     *
     * @param classes what the JVM has counted; null if there was no proof, since nothing had grown
     * @param isExact are the counts of sites exact? Else those of classes decide
     */
    LeakFindings(
            LeakRule rule,
            LeakJudge judge,
            LeakLooks looks,
            @Nullable ClassCounts classes,
            boolean isExact) {
        this.rule = rule;
        this.judge = judge;
        this.looks = looks;
        this.isProven = classes != null;
        this.classes = classes == null || !classes.isAvailable() ? null : classes.byName();
        this.isExact = isExact;
        for (LeakSite site : looks.sites()) {
            LiveSeries live = looks.of(site);
            if (live.hasGrown(LeakJudge.BASE, LeakJudge.LOOKED)
                    || (!isExact && judge.grewInProof(live))) {
                sort(site, live);
            }
        }
        if (!leaks.isEmpty()) {
            open.stream().filter(Leak::isKeeper).forEach(leaks::add);
        }
        leaks.sort(Leak.KEEPER_FIRST);
    }

    private void sort(LeakSite site, LiveSeries live) {
        Other other =
                isProven
                        ? other(site, live)
                        : accepted(site, live, LeakJudge.BASE, LeakJudge.LOOKED);
        if (other == null && isProven) {
            leaks.add(leak(site, live));
        } else if (other == Other.OPEN && judge.grewInProof(live)) {
            open.add(leak(site, live));
        } else if (other != null) {
            others.merge(other, 1, Integer::sum);
        }
    }

    private @Nullable LiveSeries known(LeakSite site) {
        return classes == null ? null : classes.get(ClassHistogram.withoutNumber(site.className()));
    }

    private Leak leak(LeakSite site, LiveSeries live) {
        LiveSeries known = isExact ? null : known(site);
        return Leak.at(site, known == null ? live : known, looks, LeakJudge.PROOF);
    }

    /** Permissions are used up only where one is needed. */
    private @Nullable Other accepted(LeakSite site, LiveSeries live, int from, int to) {
        if (judge.isWithin(live, from, to)) {
            return Other.WITHIN;
        }
        return rule.allowed().allows(site.className(), site.stack()) ? Other.ALLOWED : null;
    }

    private @Nullable Other other(LeakSite site, LiveSeries live) {
        LiveSeries known = known(site);
        Kind kind = kind(site, live, known);
        if (kind == Kind.STILL) {
            return Other.STOPPED;
        }
        if (isExact && judge.isTurnover(live, known)) {
            return Other.REPLACED;
        }
        Other accepted = accepted(site, live, LeakJudge.PROOF, judge.last());
        if (accepted != null) {
            return accepted;
        }
        isOpen |= kind == Kind.UNDECIDED;
        return kind == Kind.UNDECIDED ? Other.OPEN : null;
    }

    /** What other threads do is beyond the code's control: it counts if each run does it. */
    private Kind kind(LeakSite site, LiveSeries live, @Nullable LiveSeries known) {
        if (!isExact) {
            boolean grows = known != null && judge.growsInEachRun(known);
            return grows && judge.grewInProof(live) ? Kind.GROWING : Kind.STILL;
        }
        if (!site.isOfCode()) {
            return judge.growsInEachRun(live) ? Kind.GROWING : Kind.STILL;
        }
        return judge.kind(live, site.className().endsWith("[]"));
    }

    /**
     * Takes those out of the leaks of which nothing is strongly reachable.
     *
     * @param snapshot of now, that knows how its samples are reachable
     */
    void takeOutSoft(HeapSnapshot snapshot) {
        Map<LeakSite, Double> softly = new HashMap<>();
        for (HeapSite site : snapshot.topByLive(Integer.MAX_VALUE)) {
            LeakSite place = looks.place(site);
            for (HeapSample sample : place == null ? List.<HeapSample>of() : site.samples()) {
                if (place != null && HeapReach.of(sample) == HeapReach.SOFT) {
                    softly.merge(place, sample.size() * sample.weight(), Double::sum);
                }
            }
        }
        leaks.removeIf(
                leak -> {
                    double bytes = leak.site() == null ? 0 : softly.getOrDefault(leak.site(), 0.0);
                    boolean isSoft = bytes > 0 && bytes >= leak.bytes();
                    if (isSoft) {
                        others.merge(Other.SOFT, 1, Integer::sum);
                    }
                    return isSoft;
                });
    }

    /** Returns the leaks, what holds before what is held. */
    List<Leak> leaks() {
        return leaks;
    }

    /** Would more runs tell more? */
    boolean isOpen() {
        return isOpen && leaks.isEmpty();
    }

    /** Returns how many sites grew and are no leaks, such as {@code 2 sites allowed}. */
    String others() {
        List<String> texts = new ArrayList<>();
        others.forEach(
                (other, count) ->
                        texts.add(count + (count == 1 ? " site " : " sites ") + other.words));
        return String.join(", ", texts);
    }

    /**
     * Returns the classes of which the JVM has more after each run of the proof, beyond what
     * recorded sites have grown; null if it could not count them.
     */
    @Nullable List<Leak> unexplained() {
        if (classes == null) {
            return null;
        }
        List<Leak> unexplained = new ArrayList<>();
        classes.forEach(
                (name, counts) -> {
                    if (!name.startsWith(HARNESS)
                            && rule.scope().mayAccept(name)
                            && judge.growsInEachRun(counts)
                            && !judge.isWithin(counts, LeakJudge.PROOF, judge.last())
                            && !isExplained(name, counts)) {
                        unexplained.add(Leak.of(name, counts, looks, LeakJudge.PROOF));
                    }
                });
        unexplained.sort(Leak.KEEPER_FIRST);
        return unexplained;
    }

    private boolean isExplained(String className, LiveSeries counts) {
        int to = judge.last();
        double objects = counts.objects(to) - counts.objects(LeakJudge.PROOF);
        double bytes = counts.bytes(to) - counts.bytes(LeakJudge.PROOF);
        for (LeakSite site : looks.sites()) {
            if (ClassHistogram.withoutNumber(site.className()).equals(className)) {
                LiveSeries live = looks.of(site);
                objects -= live.objects(to) - live.objects(LeakJudge.PROOF);
                bytes -= live.bytes(to) - live.bytes(LeakJudge.PROOF);
            }
        }
        return objects <= 0 && bytes <= 0;
    }
}
