// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.SiteRows;
import io.heapsampler.internal.shared.ByteText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Which live samples of a snapshot are chosen. Immutable. */
final class HeldSelection {

    private final String text;

    /** The samples of a snapshot, by number, that are chosen. */
    private final Function<HeapSnapshot, IntPredicate> samples;

    private HeldSelection(String text, Function<HeapSnapshot, IntPredicate> samples) {
        this.text = text;
        this.samples = samples;
    }

    private static HeldSelection bySite(String text, Function<HeapSnapshot, boolean[]> sites) {
        return new HeldSelection(
                text,
                snapshot -> {
                    boolean[] isChosen = sites.apply(snapshot);
                    SampleColumns samples = snapshot.data().samples;
                    return i -> isChosen[samples.site(i)];
                });
    }

    static HeldSelection matching(SampleFilter filter) {
        return new HeldSelection(
                filter.toString(),
                snapshot -> {
                    SiteRows rows = snapshot.data().rows();
                    SampleColumns samples = snapshot.data().samples;
                    return i -> filter.accepts(rows.labels(samples.row(i)));
                });
    }

    static HeldSelection all() {
        return new HeldSelection("all live samples", snapshot -> sample -> true);
    }

    static HeldSelection top(int limit) {
        return bySite(
                limit == 1
                        ? "the site with most live bytes"
                        : "the " + ByteText.number(limit) + " sites with most live bytes",
                snapshot -> {
                    boolean[] isChosen = new boolean[snapshot.sites().size()];
                    snapshot.topByLive(limit).forEach(site -> isChosen[site.number()] = true);
                    return isChosen;
                });
    }

    static HeldSelection ofClass(String className) {
        return bySite(
                "class " + className,
                snapshot -> sitesOf(snapshot, site -> site.className().equals(className)));
    }

    static HeldSelection ofSites(List<HeapSite> chosen, boolean isByLine) {
        String text =
                chosen.size() == 1
                        ? "the site of " + name(chosen.get(0))
                        : ByteText.number(chosen.size()) + " sites";
        return bySite(text, snapshot -> found(snapshot, chosen, isByLine));
    }

    static HeldSelection growing(List<HeapSite> growing, boolean isByLine) {
        String text =
                growing.size() == 1
                        ? "the 1 growing site"
                        : "the " + ByteText.number(growing.size()) + " growing sites";
        return bySite(text, snapshot -> found(snapshot, growing, isByLine));
    }

    private static String name(HeapSite site) {
        return site.className() + (site.stack().isEmpty() ? "" : " at " + site.stack().get(0));
    }

    private static boolean[] sitesOf(HeapSnapshot snapshot, Predicate<HeapSite> isChosen) {
        boolean[] result = new boolean[snapshot.sites().size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = isChosen.test(snapshot.sites().get(i));
        }
        return result;
    }

    /** Finds sites of other snapshots again. */
    private static boolean[] found(HeapSnapshot snapshot, List<HeapSite> chosen, boolean isByLine) {
        SiteKeys keys = new SiteKeys(isByLine);
        Map<HeapSnapshot, int[]> numbers = new HashMap<>(); // by identity: a snapshot has no equals
        Set<Integer> wanted = new HashSet<>();
        for (HeapSite site : chosen) {
            int[] there = numbers.computeIfAbsent(site.snapshot(), keys::numbersOf);
            wanted.add(there[site.number()]);
        }
        int[] here = keys.numbersOf(snapshot);
        boolean[] isChosen = new boolean[here.length];
        for (int i = 0; i < here.length; i++) {
            isChosen[i] = wanted.contains(here[i]);
        }
        return isChosen;
    }

    /** Returns what is chosen, in words, such as {@code class byte[]}. */
    String text() {
        return text;
    }

    /** Returns the chosen samples that are confirmed live, by number. */
    int[] of(HeapSnapshot snapshot) {
        IntPredicate isChosen = samples.apply(snapshot);
        SampleColumns all = snapshot.data().samples;
        return IntStream.range(0, all.living)
                .filter(i -> all.liveness(i) == Liveness.LIVE.ordinal())
                .filter(isChosen)
                .toArray();
    }
}
