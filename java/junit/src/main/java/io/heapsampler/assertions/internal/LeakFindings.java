// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.internal.LiveSeries.Kind;
import io.heapsampler.assertions.internal.LiveSeries.Trend;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a trial has found: leaks, sites that may leak, and sites that grew and are none. */
final class LeakFindings {

    /** Why a site that grew is no leak. */
    enum Other {
        WITHIN("within perSite"),
        ALLOWED("allowed"),
        SOFT("only softly reachable, which the JVM frees before memory runs out"),
        REPLACED("where newer objects took the place of older ones"),
        STOPPED("that grew for a while only"),
        OPEN("that grew too seldom to tell"),
        CONCEALED("of a class of which other code frees objects");

        final String words;

        Other(String words) {
            this.words = words;
        }

        /** Does it stay, by permission or for a while, although it grows? */
        boolean isLeftOut() {
            return this == WITHIN || this == ALLOWED || this == SOFT;
        }
    }

    /** Allocates itself while it looks. */
    private static final String HARNESS = LeakFindings.class.getPackageName() + '.';

    private final LeakRule rule;
    private final LeakJudge judge;
    private final LeakLooks looks;

    private final @Nullable ClassCounts counts;

    /** The JVM's counts; null if the JVM has not been queried, or could not count. */
    private final @Nullable Map<String, LiveSeries> classes;

    private final boolean isExact;

    /** Certain leaks, those that hold others first. */
    final List<Leak> leaks = new ArrayList<>();

    /** Sites of which it is open whether they go on growing. */
    final List<Leak> open = new ArrayList<>();

    /** Sites that grow while other code frees objects of their class. */
    final List<Leak> concealed = new ArrayList<>();

    /** Classes of which newer objects took the place of older ones. */
    final Set<String> replaced = new TreeSet<>();

    /** The part of the leaks that would be open if nothing else leaked. */
    private final List<Leak> keepers = new ArrayList<>();

    /** By class, sites of the code that grew in the proof and are no leak by themselves. */
    private final Map<String, List<Leak.Site>> scattered = new TreeMap<>();

    private final Map<Other, Integer> others = new EnumMap<>(Other.class);

    /**
     * Sorts the sites.
     *
     * @param counts what the JVM has counted; null if there was no proof, since nothing had grown
     * @param isExact are the counts of sites exact? Else those of classes decide
     */
    LeakFindings(
            LeakRule rule,
            LeakJudge judge,
            LeakLooks looks,
            @Nullable ClassCounts counts,
            boolean isExact) {
        this.rule = rule;
        this.judge = judge;
        this.looks = looks;
        this.counts = counts;
        this.classes = counts == null || !counts.isAvailable() ? null : counts.byName();
        this.isExact = isExact;
        for (Leak.Site site : looks.sites()) {
            LiveSeries live = looks.of(site);
            if (live.hasGrown(LeakJudge.BASE, LeakJudge.LOOKED)
                    || (!isExact && judge.grewInProof(live))) {
                sort(site, live);
            } else {
                scatter(site, live);
            }
        }
        scattered.values().forEach(this::sortTogether);
        if (!leaks.isEmpty()) {
            open.stream().filter(leak -> leak.isKeeper() && leak.hasGrown()).forEach(keepers::add);
            open.removeAll(keepers);
            leaks.addAll(keepers);
        }
        leaks.sort(Leak.KEEPER_FIRST);
        open.sort(Leak.KEEPER_FIRST);
        concealed.sort(Leak.KEEPER_FIRST);
    }

    private void sort(Leak.Site site, LiveSeries live) {
        Other other =
                counts == null
                        ? accepted(site, live, LeakJudge.BASE, LeakJudge.LOOKED)
                        : other(site, live);
        if (other == null && counts != null) {
            leaks.add(leak(site, live));
        } else if (other == Other.OPEN) {
            open.add(leak(site, live));
        } else if (other == Other.CONCEALED) {
            concealed.add(leak(site, live));
        } else if (other != null) {
            others.merge(other, 1, Integer::sum);
            if (other == Other.STOPPED) {
                scatter(site, live);
            }
        }
    }

    private void scatter(Leak.Site site, LiveSeries live) {
        if (isExact && counts != null && site.isOfCode() && judge.grewInProof(live)) {
            scattered.computeIfAbsent(site.className(), key -> new ArrayList<>()).add(site);
        }
    }

    /**
     * Finds a leak to which each run goes another way: none of these sites goes on growing, and yet
     * all of them together have more at each look than at any before. Further looks must confirm
     * it.
     */
    private void sortTogether(List<Leak.Site> ofClass) {
        List<Leak.Site> sites = new ArrayList<>(ofClass);
        if (growTogether(sites)) {
            sites.removeIf(site -> rule.allowed().allows(site.className(), site.stack()));
        }
        if (growTogether(sites)) {
            List<Leak> found = judge.isComplete() ? leaks : open;
            for (Leak.Site site : sites) {
                LiveSeries live = looks.of(site);
                found.add(leak(site, live));
                if (live.hasGrown(LeakJudge.BASE, LeakJudge.LOOKED)) {
                    others.merge(Other.STOPPED, -1, Integer::sum);
                }
            }
        }
    }

    private boolean growTogether(List<Leak.Site> sites) {
        if (sites.size() < 2) {
            return false;
        }
        LiveSeries all = sites.stream().map(looks::of).reduce(LiveSeries::plus).orElseThrow();
        return Trend.of(all.objects, LeakJudge.PROOF, judge.last()).isRising()
                && !judge.isWithin(all, LeakJudge.PROOF, judge.last())
                && judge.turnover(all, known(sites.get(0))) != Kind.STILL;
    }

    private static String className(Leak.Site site) {
        return JvmCommand.withoutNumber(site.className());
    }

    private @Nullable LiveSeries known(Leak.Site site) {
        return classes == null ? null : classes.get(className(site));
    }

    private Leak leak(Leak.Site site, LiveSeries live) {
        LiveSeries known = isExact ? null : known(site);
        return leak(site.className(), site, known == null ? live : known);
    }

    private Leak leak(String className, Leak.@Nullable Site site, LiveSeries live) {
        return new Leak(className, site, live, looks, LeakJudge.PROOF);
    }

    /** Permissions are used up only where one is needed. */
    private @Nullable Other accepted(Leak.Site site, LiveSeries live, int from, int to) {
        if (judge.isWithin(live, from, to)) {
            return Other.WITHIN;
        }
        return rule.allowed().allows(site.className(), site.stack()) ? Other.ALLOWED : null;
    }

    /** Says why a site is no leak for sure; null if it is one. */
    private @Nullable Other other(Leak.Site site, LiveSeries live) {
        LiveSeries known = known(site);
        Kind kind = kind(site, live, known);
        if (kind == Kind.STILL) {
            return Other.STOPPED;
        }
        Kind turnover = isExact ? judge.turnover(live, known) : Kind.GROWING;
        boolean isVoid = turnover == Kind.STILL && isExcuseVoid(site, live);
        if (turnover == Kind.STILL && !isVoid) {
            replaced.add(className(site));
            return Other.REPLACED;
        }
        Other accepted = accepted(site, live, LeakJudge.PROOF, judge.last());
        if (accepted != null) {
            return accepted;
        }
        if (kind == Kind.UNDECIDED || turnover == Kind.UNDECIDED) {
            return Other.OPEN;
        }
        if (isVoid) {
            return judge.isComplete() ? Other.CONCEALED : Other.OPEN;
        }
        return null;
    }

    /** Do objects of its class come and go without a run as well, so that nothing follows? */
    private boolean isExcuseVoid(Leak.Site site, LiveSeries live) {
        if (counts == null) {
            return false;
        }
        LiveSeries idle = counts.idle(className(site));
        return idle != null && judge.changesByItself(live, idle, counts.isApart());
    }

    /** What other threads do is beyond the code's control: it counts if it goes on steadily. */
    private Kind kind(Leak.Site site, LiveSeries live, @Nullable LiveSeries known) {
        if (!isExact) {
            return estimated(site, live, known);
        }
        boolean isArray = site.className().endsWith("[]");
        return site.isOfCode() ? judge.kind(live, isArray) : judge.kindOfOthers(live);
    }

    /** Where the counts of sites are estimates, growth is certain if the JVM's counts show it. */
    private Kind estimated(Leak.Site site, LiveSeries live, @Nullable LiveSeries known) {
        if (known != null && judge.growsInEachRun(known) && judge.grewInProof(live)) {
            return Kind.GROWING;
        }
        if (!site.isOfCode()) {
            return Kind.STILL; // the counts of its class tell
        }
        Kind kind = judge.kind(live, site.className().endsWith("[]"));
        if (kind == Kind.STILL || judge.turnover(live, known) == Kind.STILL) {
            return Kind.STILL;
        }
        boolean isSure =
                kind == Kind.GROWING && known != null && judge.kind(known, false) == Kind.GROWING;
        return isSure ? Kind.GROWING : Kind.UNDECIDED;
    }

    /** Takes sites out whose objects only soft references hold, and arrays that stay. */
    void takeOut(SoftlyHeld softly) {
        Predicate<Leak> isSoft = leak -> leak.site() != null && softly.isSoft(leak.site());
        Predicate<Leak> isUnchanged =
                leak -> leak.site() != null && softly.isUnchanged(leak.site());
        takeOut(leaks, Other.SOFT, isSoft);
        takeOut(open, Other.SOFT, isSoft);
        takeOut(open, Other.STOPPED, isUnchanged.and(leak -> !leak.hasGrown()));
        if (keepers.containsAll(leaks)) { // perhaps they grew because of soft contents
            open.addAll(leaks);
            leaks.clear();
            takeOut(open, Other.STOPPED, isUnchanged.and(keepers::contains));
        }
    }

    private void takeOut(List<Leak> from, Other other, Predicate<Leak> condition) {
        int before = from.size();
        from.removeIf(condition);
        if (from.size() < before) {
            others.merge(other, before - from.size(), Integer::sum);
        }
    }

    /** Returns the sites that leak or may. */
    List<Leak.Site> sites() {
        return Stream.of(leaks, open)
                .flatMap(List::stream)
                .flatMap(leak -> Optional.ofNullable(leak.site()).stream())
                .toList();
    }

    /** Returns how many sites grew and are not among the leaks, such as {@code 2 sites allowed}. */
    String others() {
        return Stream.of(leftOut(), noLeaks())
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** Returns how many of them are let pass or may yet leak; empty if there are none. */
    String leftOut() {
        Map<Other, Integer> some = new EnumMap<>(others);
        some.keySet().removeIf(other -> !other.isLeftOut());
        some.put(Other.OPEN, open.size());
        some.put(Other.CONCEALED, concealed.size());
        return words(some);
    }

    /** Returns how many of them keep no more than before; empty if there are none. */
    String noLeaks() {
        Map<Other, Integer> some = new EnumMap<>(others);
        some.keySet().removeIf(Other::isLeftOut);
        return words(some);
    }

    /** Returns such as {@code 1 site allowed, 2 sites within perSite}. */
    static String words(Map<Other, Integer> counts) {
        List<String> texts = new ArrayList<>();
        counts.forEach(
                (other, count) -> {
                    if (count > 0) {
                        texts.add(count + (count == 1 ? " site " : " sites ") + other.words);
                    }
                });
        return String.join(", ", texts);
    }

    /**
     * Returns the classes of which the JVM has more and more, beyond what recorded sites have
     * grown; null if it could not count them.
     *
     * @param kind {@link Kind#GROWING} if that is certain, or {@link Kind#UNDECIDED}
     */
    @Nullable List<Leak> unexplained(Kind kind) {
        if (classes == null) {
            return null;
        }
        List<Leak> unexplained = new ArrayList<>();
        classes.forEach(
                (name, series) -> {
                    if (!name.startsWith(HARNESS)
                            && rule.scope().mayAccept(name)
                            && judge.kindOfOthers(series) == kind
                            && !judge.isWithin(series, LeakJudge.PROOF, judge.last())
                            && !isExplained(name, series)) {
                        unexplained.add(leak(name, null, series));
                    }
                });
        unexplained.sort(Leak.KEEPER_FIRST);
        return unexplained;
    }

    /** Have recorded objects grown as much? */
    private boolean isExplained(String className, LiveSeries series) {
        LiveSeries recorded = looks.ofClass(className);
        return growth(series.objects) <= growth(recorded.objects)
                && growth(series.bytes) <= growth(recorded.bytes);
    }

    private double growth(double[] counts) {
        return counts[judge.last()] - counts[LeakJudge.PROOF];
    }
}
