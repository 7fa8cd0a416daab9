// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each condition of premature promotion, with all the others met. */
class PrematurePromotionTest {

    private static final String ID = "promotion.premature";

    private static Story promoting(Story story, int rounds, long left, double scale) {
        story.old = left;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 10; i++) {
                story.second(12 * MB).young(20 * scale, 11 * MB);
            }
            story.full(100 * scale, left, "Allocation Failure");
        }
        return story;
    }

    /** What samples tell of the last collection of the old generation. */
    private static Diagnosis sampled(Story story, int dead, int alive) {
        List<GcEvent> all = story.timeline().collections();
        long last = all.get(all.size() - 1).atMillis();
        Shot shot = new Shot(1_000_000, story.now);
        int site = shot.site("byte[]", "fill", 480.0 * MB);
        shot.dead(site, dead, MB, last - 3000, 1, last - 100, last + 50);
        shot.live(site, alive, MB, last - 1000, 1);
        SiteBook book = new SiteBook();
        book.add(shot.take(), story.timeline(), 0);
        return story.second(0).judged(book);
    }

    private static Diagnosis sampled(int dead, int alive) {
        return sampled(promoting(Story.serial(), 4, 10 * MB, 1), dead, alive);
    }

    /** The note on samples in a finding that is based on freed bytes. */
    private static String whyNoSite(Finding finding) {
        assertThat(finding.sites()).isEmpty();
        return finding.evidence().stream()
                .filter(each -> each.name().equals("promoted.samples"))
                .map(Evidence::text)
                .collect(Collectors.joining());
    }

    @Test
    void itTakesTwoOldCollections() {
        Diagnosis one = promoting(Story.serial(), 1, 10 * MB, 1).second(0).judged();

        assertThat(one.finding(ID)).isEmpty();
        assertThat(why(one, ID)).contains("was collected 1 time", "takes 2");
        Diagnosis two = promoting(Story.serial(), 2, 10 * MB, 1).second(0).judged();
        assertThat(two.finding(ID).orElseThrow().severity()).isEqualTo(Severity.WARNING);
    }

    private static Severity afterAnHour(long freedFirst, int rounds) {
        Story story = Story.serial();
        for (int i = 0; i < 60; i++) {
            story.millis(59_000).second(MB);
        }
        story.old = 120 * MB;
        story.full(100, 120 * MB - freedFirst, "Allocation Failure");
        return severity(promoting(story, rounds, 10 * MB, 5).second(0).judged(), ID);
    }

    /** A batch of the night may fill the old generation once: that is its data. */
    @Test
    void aWarningTakesTwoOldCollectionsThatFreeObjects() {
        assertThat(afterAnHour(20 * MB, 1)).isEqualTo(Severity.INFO);
        assertThat(afterAnHour(110 * MB, 1)).isEqualTo(Severity.WARNING);
        assertThat(afterAnHour(20 * MB, 2)).isEqualTo(Severity.WARNING);
    }

    @Test
    void anOldCollectionOfTheStartUpIsNoneOfThem() {
        Story story = Story.serial();
        story.loaded = 3000;
        story.second(MB).full(100, 0, "Allocation Failure");
        assertThat(severity(promoting(story, 1, 10 * MB, 1).second(0).judged(), ID))
                .isEqualTo(Severity.INFO);
    }

    /** 110 of 110 MiB are freed first, and none of what is promoted afterwards. */
    @Test
    void whatTheFirstOldCollectionFreesDoesNotCount() {
        Story story = promoting(Story.serial(), 1, 0, 1);
        for (int i = 0; i < 10; i++) {
            story.second(12 * MB).young(20, 11 * MB);
        }
        story.full(100, 110 * MB, "Allocation Failure");

        assertThat(story.second(0).judged().finding(ID)).isEmpty();
    }

    /** A tenth of the copied bytes is promoted, and so a tenth of the pauses counts. */
    @Test
    void onlyTheTimeThatPromotionTakesIsHarm() {
        Story story = Story.serial();
        assertThat(severity(promoting(story, 4, 10 * MB, 0.5).second(0).judged(), ID))
                .isEqualTo(Severity.WARNING);
        Story copying = Story.serial();
        copying.survivors = 99 * MB;
        assertThat(severity(promoting(copying, 4, 10 * MB, 0.5).second(0).judged(), ID))
                .isEqualTo(Severity.INFO);
    }

    @Test
    void tenSamplesDecideFewerDoNot() {
        Finding few = sampled(0, 9).finding(ID).orElseThrow();

        assertThat(value(few, "promoted.samples")).isEqualTo(9);
        assertThat(sampled(4, 6).finding(ID)).isEmpty();
        Finding half = sampled(5, 5).finding(ID).orElseThrow();
        assertThat(value(half, "promoted.dead")).isEqualTo(0.5);
    }

    private static Estimate estimate(long samples) {
        double value = samples * MB / 2.0;
        return Estimate.of(value, value * MB / 2, 0, samples);
    }

    private static boolean isSure(long dead, long all) {
        var part = List.of(new SiteEvidence("byte[]", List.of(), "dead", estimate(dead), "bytes"));
        return PrematurePromotion.isSure(NamedSites.Share.of(part, estimate(all)), all);
    }

    /** 12 of 30 are 40 % ± 18 %: that may be most. */
    @Test
    void samplesThatMayBeAboveOrBelowHalfDoNotDecide() {
        assertThat(isSure(12, 30)).isFalse();
        assertThat(isSure(18, 30)).isFalse();
        assertThat(isSure(9, 30)).isTrue();
        assertThat(isSure(22, 30)).isTrue();
        assertThat(isSure(0, 10)).isTrue();
        assertThat(isSure(9, 9)).isFalse();
    }

    /**
     * The sampler looked before the last collection of the old generation was over: all that it
     * frees seems to live. The next snapshot knows which of it died.
     */
    @Test
    void aCollectionAfterTheSnapshotIsNotCountedYet() {
        Story story = promoting(Story.serial(), 4, 10 * MB, 1);
        SiteBook book = new SiteBook();
        long first = story.now;
        Shot before = new Shot(1_000_000, first);
        int site = before.site("byte[]", "fill", 480.0 * MB);
        before.dead(site, 20, MB, first - 3000, 1, first - 200, first - 50);
        before.live(site, 60, MB, first - 10, 1);
        promoting(story, 1, 10 * MB, 1);
        book.add(before.take(), story.timeline(), 0);
        assertThat(value(story.judged(book).finding(ID).orElseThrow(), "promoted.dead"))
                .isEqualTo(1);

        Shot after = new Shot(1_000_000, story.now);
        site = after.site("byte[]", "fill", 480.0 * MB);
        after.dead(site, 60, MB, first - 10, 1, story.now - 200, story.now - 50);
        book.add(after.take(), story.timeline(), 0);
        Finding finding = story.judged(book).finding(ID).orElseThrow();
        assertThat(value(finding, "promoted.dead")).isEqualTo(1);
        assertThat(finding.sites().get(0).estimate().value()).isEqualTo(80.0 * MB);
    }

    /** Forty rounds promote 11 MiB each; a thousand samples of 1 MiB were forgotten. */
    private static Finding explained() {
        Story story = promoting(Story.serial(), 4, 10 * MB, 1);
        List<GcEvent> all = story.timeline().collections();
        long last = all.get(all.size() - 1).atMillis();
        Shot shot = new Shot(1_000_000, story.now);
        int site = shot.site("byte[]", "fill", 480.0 * MB);
        int other = shot.site("long[]", "keep", 480.0 * MB);
        // The first that is remembered has not met a collection of the old generation.
        shot.dead(other, 1, MB, last - 500, 1, last - 400, last - 10);
        shot.dead(site, 88, MB, last - 3000, 1, last - 100, last + 50);
        shot.live(other, 11, MB, last - 1000, 1);
        SiteBook book = new SiteBook();
        book.add(shot.forgotten(1000).take(), story.timeline(), 0);
        return story.second(0).judged(book).finding(ID).orElseThrow();
    }

    private static String explanation(Finding finding) {
        return finding.evidence().stream()
                .filter(each -> each.name().equals("sites.explained"))
                .map(Evidence::text)
                .collect(Collectors.joining());
    }

    @Test
    void theShareThatTheNamedSitesExplainAndTheRestAreStated() {
        Finding finding = explained();

        assertThat(value(finding, "sites.explained")).isEqualTo(0.2);
        assertThat(explanation(finding))
                .isEqualTo(
                        "The sites named explain 20 % of the promoted bytes, and 89 % of those"
                                + " whose fate samples show. Where many objects die, the sampler"
                                + " forgets early deaths (SamplerOptions.maxDead).");
    }

    @Test
    void oneSiteWithLessThanHalfIsNotTheOneToChange() {
        Story story = promoting(Story.serial(), 4, 10 * MB, 1);
        List<GcEvent> all = story.timeline().collections();
        long last = all.get(all.size() - 1).atMillis();
        Shot shot = new Shot(1_000_000, story.now);
        int first = shot.site("byte[]", "fill", 480.0 * MB);
        int second = shot.site("long[]", "keep", 480.0 * MB);
        shot.dead(first, 45, MB, last - 3000, 1, last - 100, last + 50);
        shot.dead(second, 55, MB / 2, last - 3000, 1, last - 100, last + 50);
        shot.dead(shot.site("int[]", "grow", 48.0 * MB), 55, MB / 2, last - 3000, 1, last, last);
        SiteBook book = new SiteBook();
        book.add(shot.take(), story.timeline(), 0);

        // 45 of 100 MiB.
        assertThat(story.second(0).judged(book).finding(ID).orElseThrow().advice().kind())
                .isEqualTo(Advice.Kind.SIZE);
    }

    @Test
    void aQuarterOfTheOldGenerationMustBeFreedWhateverSamplesSay() {
        Story much = Story.serial();
        much.maxHeap = 4096 * MB;
        assertThat(sampled(promoting(much, 4, 300 * MB, 1), 20, 0).finding(ID)).isPresent();
        Story little = Story.serial();
        little.maxHeap = 4096 * MB;
        assertThat(sampled(promoting(little, 4, 400 * MB, 1), 20, 0).finding(ID)).isEmpty();
    }

    @Test
    void itIsInformationWherePausesAreShortOrFarApart() {
        Story brief = promoting(Story.serial(), 4, 10 * MB, 0.1).second(0);
        assertThat(brief.judged().finding(ID).orElseThrow().severity()).isEqualTo(Severity.INFO);

        Story rare = Story.serial();
        for (int round = 0; round < 4; round++) {
            rare.seconds(31, 0);
            promoting(rare, 1, 10 * MB, 1);
        }
        assertThat(rare.second(0).judged().finding(ID).orElseThrow().severity())
                .isEqualTo(Severity.INFO);
    }

    @Test
    void theLifetimeIsReportedIfCollectionsFreeAllDeadObjects() {
        Finding serial = sampled(30, 10).finding(ID).orElseThrow();

        // 10 MiB were alive at one of four collections, and the site makes all that is allocated.
        assertThat(value(serial, "lifetime")).isEqualTo(2.5 * MB);
        assertThat(serial.evidence())
                .extracting(Evidence::text)
                .contains("The objects live while about 2.5 MiB are allocated.");
        assertThat(serial.advice().text()).contains("shop.Cart.fill");
        Story g1 = promoting(Story.g1(), 4, 10 * MB, 1);
        assertThat(sampled(g1, 30, 10).finding(ID).orElseThrow().evidence())
                .extracting(Evidence::name)
                .contains("promoted.dead")
                .doesNotContain("lifetime");
        Story z = promoting(new Story(GarbageCollector.Z_GENERATIONAL, 21), 4, 10 * MB, 1);
        assertThat(sampled(z, 30, 10).finding(ID).orElseThrow().evidence())
                .extracting(Evidence::name)
                .doesNotContain("lifetime");
    }

    @Test
    void whereThereIsRoomTheYoungGenerationIsToGetIt() {
        Finding roomy =
                promoting(Story.serial(), 4, 10 * MB, 1)
                        .second(0)
                        .judged()
                        .finding(ID)
                        .orElseThrow();
        assertThat(value(roomy, "young.size")).isEqualTo(218.5 * MB);
        assertThat(roomy.advice().text()).contains("219 MiB of the heap (-Xmn)");

        Finding full =
                promoting(Story.serial(), 4, 100 * MB, 1)
                        .second(0)
                        .judged()
                        .finding(ID)
                        .orElseThrow();
        assertThat(full.evidence()).extracting(Evidence::name).doesNotContain("young.size");
        assertThat(full.advice().kind()).isEqualTo(Advice.Kind.SIZE);
        assertThat(full.advice().text()).startsWith("Enlarge the heap: with 100 MiB live");
    }

    @Test
    void generationalZgcIsGivenHeapForItIgnoresTheSizeOfTheYoungGeneration() {
        Story z = promoting(new Story(GarbageCollector.Z_GENERATIONAL, 25), 4, 10 * MB, 1);
        Advice advice = z.second(0).judged().finding(ID).orElseThrow().advice();

        assertThat(advice.kind()).isEqualTo(Advice.Kind.SIZE);
        assertThat(advice.text()).startsWith("Enlarge the heap (-Xmx)").contains("ignores -Xmn");
    }

    @Test
    void whereAFlagPromotesAtOnceTheFlagIsToGo() {
        Story sick = promoting(Story.serial(), 4, 10 * MB, 1).flag("MaxTenuringThreshold", "0");
        Advice advice = sampled(sick, 30, 10).finding(ID).orElseThrow().advice();

        assertThat(advice.kind()).isEqualTo(Advice.Kind.FLAG);
        assertThat(advice.text()).contains("MaxTenuringThreshold is 0", "ZTenuringThreshold");
        Story late = promoting(Story.serial(), 4, 10 * MB, 1).flag("MaxTenuringThreshold", "15");
        assertThat(sampled(late, 30, 10).finding(ID).orElseThrow().advice().kind())
                .isEqualTo(Advice.Kind.CODE);
    }

    @Test
    void underGenerationalZgcWhatWasFreedDecidesForItKeepsWhatIsSampled() {
        Story sick = promoting(new Story(GarbageCollector.Z_GENERATIONAL, 25), 4, 10 * MB, 1);
        // A cache beside it: of all that was promoted only this is known to have been.
        Finding finding = sampled(sick, 0, 40).finding(ID).orElseThrow();

        assertThat(whyNoSite(finding))
                .contains("so no site is named")
                .doesNotContain("smaller interval");
    }

    @Test
    void underShenandoahWhatWasFreedDecidesForSamplesDoNotTellWhoDied() {
        Story sick =
                promoting(new Story(GarbageCollector.SHENANDOAH_GENERATIONAL, 25), 4, 10 * MB, 1);
        Finding finding = sampled(sick, 0, 40).finding(ID).orElseThrow();

        assertThat(whyNoSite(finding)).contains("so no site is named");
        Story kept = new Story(GarbageCollector.SHENANDOAH_GENERATIONAL, 25);
        kept.maxHeap = 4096 * MB;
        promoting(kept, 4, 200 * MB, 1);
        assertThat(why(sampled(kept, 40, 0), ID)).contains("by freed bytes");
    }
}
