// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.SiteDelta;
import io.heapsampler.SiteGrowth;
import io.heapsampler.assertj.Reading.Measure;
import io.heapsampler.internal.shared.ByteText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.assertj.core.presentation.Representation;

/** The sites that a message shows: those that matter most, each with a few frames. */
final class Top {

    static final Top NONE = new Top(List.of(), 0);

    static final int MOST_SITES = 5;

    /** One site: what a custom representation may show, what is shown otherwise, and the stack. */
    private record Entry(Object site, String text, List<HeapFrame> stack) {}

    private final List<Entry> entries;
    private final int all;

    private Top(List<Entry> entries, int all) {
        this.entries = entries;
        this.all = all;
    }

    private static <T> Top of(
            List<T> sites,
            ToDoubleFunction<T> rank,
            Function<T, String> text,
            Function<T, List<HeapFrame>> stack) {
        List<T> ranked = new ArrayList<>(sites);
        ranked.removeIf(site -> rank.applyAsDouble(site) <= 0);
        ranked.sort(Comparator.comparingDouble(rank).reversed());
        List<Entry> entries =
                ranked.stream()
                        .limit(MOST_SITES)
                        .map(site -> new Entry(site, text.apply(site), stack.apply(site)))
                        .toList();
        return new Top(entries, ranked.size());
    }

    /** By the measure. */
    static Top ofSites(List<HeapSite> sites, Measure measure) {
        return of(
                sites,
                site -> amount(site, measure).bytes().value(),
                site -> siteText(site, measure),
                HeapSite::stack);
    }

    /** Returns those with live objects, most live bytes first. */
    static List<HeapSite> live(List<HeapSite> sites) {
        return sites.stream()
                .filter(site -> site.live().samples() > 0)
                .sorted(Comparator.comparingDouble((HeapSite site) -> -site.live().bytes().value()))
                .toList();
    }

    /** Returns the sites of the later snapshot that have grown, those with most growth first. */
    static List<HeapSite> grown(List<SiteDelta> deltas) {
        List<HeapSite> sites = new ArrayList<>();
        deltas.stream()
                .filter(delta -> delta.live().bytes().value() > 0)
                .sorted(
                        Comparator.comparingDouble(
                                (SiteDelta delta) -> -delta.live().bytes().value()))
                .forEach(
                        delta -> {
                            HeapSite site = delta.laterSite();
                            if (site != null) {
                                sites.add(site);
                            }
                        });
        return sites;
    }

    private static HeapAmount amount(HeapSite site, Measure measure) {
        return measure.of(site.allocated(), site.live(), site.unconfirmed());
    }

    private static String siteText(HeapSite site, Measure measure) {
        HeapAmount amount = amount(site, measure);
        boolean isAllocated = amount.equals(site.allocated());
        HeapAmount other = isAllocated ? site.live() : site.allocated();
        return "%s of %s, %s objects, %s; %s %s"
                .formatted(
                        bytes(amount.bytes()),
                        Texts.cut(site.className()),
                        count(amount.objects()),
                        Texts.samples(amount.samples()),
                        isAllocated ? "live" : "allocated",
                        ByteSize.format(other.bytes().value()));
    }

    static Top ofDeltas(List<SiteDelta> deltas) {
        return of(
                deltas,
                delta -> delta.live().bytes().value(),
                delta ->
                        "+%s of %s, from %s to %s, %s"
                                .formatted(
                                        bytes(delta.live().bytes()),
                                        Texts.cut(delta.className()),
                                        ByteSize.format(delta.earlierLive().bytes().value()),
                                        ByteSize.format(delta.laterLive().bytes().value()),
                                        Texts.samples(delta.laterLive().samples())),
                SiteDelta::stack);
    }

    static Top ofGrowths(List<SiteGrowth> growths) {
        return of(
                growths,
                growth -> growth.bytesPerSecond().value(),
                growth ->
                        "+%s per second of %s, live %s, birth epochs %s, %s"
                                .formatted(
                                        bytes(growth.bytesPerSecond()),
                                        Texts.cut(growth.className()),
                                        ByteSize.format(
                                                growth.live()
                                                        .get(growth.live().size() - 1)
                                                        .bytes()
                                                        .value()),
                                        growth.birthEpochs(),
                                        Texts.samples(growth.bytesPerSecond().samples())),
                SiteGrowth::stack);
    }

    private static String bytes(Estimate estimate) {
        String error =
                estimate.standardError() > 0
                        ? " ± " + ByteSize.format(Texts.error(estimate))
                        : " (exact)";
        return ByteSize.format(estimate.value()) + error;
    }

    private static String count(Estimate estimate) {
        String error =
                estimate.standardError() > 0 ? " ± " + ByteText.number(Texts.error(estimate)) : "";
        return ByteText.number(estimate.value()) + error;
    }

    String text(Representation representation) {
        if (entries.isEmpty()) {
            return "";
        }
        StringBuilder text =
                new StringBuilder("Top sites (" + entries.size() + " of " + all + "):\n");
        for (Entry entry : entries) {
            String theirs = representation.toStringOf(entry.site());
            boolean isPlain = theirs == null || theirs.equals(entry.site().toString());
            text.append("  ").append(isPlain ? entry.text() : Texts.cut(theirs)).append('\n');
            Texts.frames(entry.stack())
                    .forEach(line -> text.append("    ").append(line).append('\n'));
        }
        return text.toString();
    }
}
