// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Each condition of what grows outside of the heap, with all the others met. */
class OffHeapRulesTest {

    private static Story direct(long limit, int seconds, IntToLongFunction used) {
        Story story = Story.g1();
        story.maxDirect = limit;
        for (int i = 1; i <= seconds; i++) {
            story.direct = used.applyAsLong(i);
            story.second(MB);
        }
        return story;
    }

    private static Severity leak(Story story) {
        return severity(story.judged(), "direct.leak");
    }

    private static void assertHidden(Diagnosis diagnosis, String id, String why) {
        assertThat(diagnosis.checks())
                .filteredOn(check -> check.id().equals(id))
                .singleElement()
                .matches(check -> !check.observable())
                .extracting(Check::why)
                .asString()
                .contains(why);
    }

    @Test
    void threeLooksAtBuffersAndALimitAreNeeded() {
        String why = "Too few looks";
        assertHidden(direct(64 * MB, 1, i -> 0).judged(), "direct.leak", why);
        assertHidden(direct(64 * MB, 5, i -> -1).judged(), "direct.leak", why);
        assertHidden(direct(0, 5, i -> 0).judged(), "direct.leak", why);
        assertThat(why(direct(64 * MB, 2, i -> 0).judged(), "direct.leak"))
                .contains("neither grow steadily");
    }

    /** Direct memory at a rate, with a young collection at some of the seconds. */
    private static Story rising(long limit, int seconds, long perSecond, int collectionEvery) {
        Story story = Story.g1();
        story.maxDirect = limit;
        for (int i = 1; i <= seconds; i++) {
            story.direct = i * perSecond;
            story.second(MB);
            if (i % collectionEvery == 0) {
                story.young(1, 0);
            }
        }
        return story.second(MB);
    }

    /** 12 MiB a second into 256 MiB: the limit is 16 s away. */
    @Test
    void growthIsReportedAfterFiveSeconds() {
        assertThat(leak(rising(256 * MB, 3, 12 * MB, 100))).isNull();
        assertThat(leak(rising(1200 * MB, 15, 12 * MB, 100))).isEqualTo(Severity.INFO);
        assertThat(leak(rising(1200 * MB, 15, 12 * MB, 2))).isEqualTo(Severity.WARNING);
        assertThat(leak(rising(1200 * MB, 15, 12 * MB, 6))).isEqualTo(Severity.INFO);
        Finding finding =
                rising(256 * MB, 6, 12 * MB, 2).judged().finding("direct.leak").orElseThrow();
        assertThat(finding.evidence().get(0).text())
                .matches(
                        ".*they grew by \\d+ MiB in 7 s, and reach the limit in about 1\\d s at"
                                + " this rate\\. 3 collections did not free them.*");
    }

    /** Whether they are kept or garbage: the JDK stops the application at the limit. */
    @Test
    void aLimitThatIsLessThanAMinuteAwayIsWarnedOfWithoutACollection() {
        Story story = direct(256 * MB, 5, i -> 12 * i * MB);
        Finding finding = story.judged().finding("direct.leak").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.title())
                .isEqualTo("Direct buffers fill up: 60 MiB of 256 MiB, and the rest in about 16 s");
        assertThat(finding.evidence().get(0).text()).contains("are garbage");
        assertThat(leak(direct(1024 * MB, 20, i -> 12 * i * MB))).isEqualTo(Severity.INFO);
        assertThat(leak(direct(1024 * MB, 26, i -> 12 * i * MB))).isEqualTo(Severity.WARNING);
    }

    /** At no second while they fill, and not later. */
    @Test
    void poolsThatFillAndStayAreNotWarnedOf() {
        for (int seconds = 1; seconds < 40; seconds++) {
            assertNotWarned(direct(256 * MB, seconds, i -> Math.min(i, 4) * 30 * MB));
            assertNotWarned(direct(256 * MB, seconds, i -> Math.min(i, 20) * 5 * MB / 2));
            for (int tau = 1; tau <= 7; tau++) {
                assertNotWarned(onDemand(seconds, 200 * MB, tau));
            }
            assertNotWarned(onDemand(seconds, 100 * MB, 12));
        }
    }

    /** A pool that fills the faster, the emptier it is. */
    private static Story onDemand(int seconds, double size, double tau) {
        return direct(256 * MB, seconds, i -> (long) (size * -Math.expm1(-i / tau)));
    }

    private static void assertNotWarned(Story story) {
        assertThat(leak(story)).isIn(null, Severity.INFO);
    }

    /** The collection at the limit has freed them once: they were garbage, and are again. */
    @Test
    void buffersThatWereFreedOnceAreNotWarnedOfAsALeak() {
        assertThat(leak(direct(256 * MB, 29, i -> i % 21 * 12 * MB))).isEqualTo(Severity.INFO);
    }

    /** A young collection frees buffers whose owners are young, and no others. */
    @Test
    void theTextSaysWhatYoungCollectionsProve() {
        String text = "only those of the old generation free";
        Story old = rising(256 * MB, 6, 12 * MB, 2).full(20, 10 * MB, "Ergonomics").second(MB);

        assertThat(grown(rising(256 * MB, 6, 12 * MB, 2))).contains("3 collections", text);
        assertThat(grown(old)).contains("4 collections").doesNotContain(text);
    }

    private static String grown(Story story) {
        return story.judged().finding("direct.leak").orElseThrow().evidence().get(0).text();
    }

    @Test
    void growthToALimitThatIsFarAwayIsNot() {
        assertThat(leak(rising(1024 * MB, 140, MB, 2))).isNull();
        assertThat(leak(rising(400 * MB, 140, MB, 2))).isEqualTo(Severity.WARNING);
    }

    /** A collection frees what is garbage; then the growth begins anew. */
    @Test
    void buffersThatCollectionsFreeAreNotKept() {
        assertThat(leak(direct(512 * MB, 150, i -> (i % 10 == 0 ? 0 : 2 * i) * MB + MB))).isNull();
        assertThat(leak(direct(256 * MB, 150, i -> (i % 5) * 30 * MB))).isNull();
    }

    @Test
    void whereCollectionsAreForbiddenAFullPoolNeedsNone() {
        Story story = direct(64 * MB, 5, i -> 62 * MB).flag("DisableExplicitGC", "true");
        Finding finding = story.judged().finding("direct.leak").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.title())
                .isEqualTo("Direct buffers take 62 MiB of 64 MiB and stay there");
        assertThat(finding.evidence().get(0).text()).contains("explicit collections are forbidden");
    }

    @Test
    void aCollectionInVainBeforeTheyFellTellsNothing() {
        Story story = direct(64 * MB, 5, i -> 62 * MB);
        story.full(20, 10 * MB, "System.gc()").second(MB);
        assertThat(leak(story)).isEqualTo(Severity.CRITICAL);
        story.direct = 10 * MB;
        story.seconds(61, MB).direct = 62 * MB;
        assertThat(leak(story.seconds(61, MB))).isNull();
    }

    @Test
    void thatACollectionWasInVainIsSaid() {
        Story story = direct(64 * MB, 5, i -> 62 * MB);
        story.full(20, 10 * MB, "System.gc()").seconds(4, MB);

        assertThat(story.judged().finding("direct.leak").orElseThrow().evidence().get(0).text())
                .contains("a collection did not give them");
    }

    @Test
    void theOwnersOfDirectMemoryAreNamedWhetherItLeaksOrIsGarbage() {
        Story leak = direct(64 * MB, 5, i -> 62 * MB).flag("DisableExplicitGC", "true");
        SiteBook book = new SiteBook();
        Shot shot = new Shot(1_000_000, 1_010_000);
        shot.live(shot.site("java.nio.DirectByteBuffer", "pack", MB), 8, 64, 1_001_000, 1);
        book.add(shot.take(), leak.timeline(), 0);
        Story garbage = direct(64 * MB, 2, i -> 60 * MB);
        for (int i = 0; i < 3; i++) {
            garbage.full(20, 10 * MB, "System.gc()");
        }

        assertThat(leak.judged(book).finding("direct.leak").orElseThrow().sites()).hasSize(1);
        Finding pressure = garbage.judged(book).finding("direct.pressure").orElseThrow();
        assertThat(pressure.sites())
                .singleElement()
                .matches(site -> Places.name(site.stack()).startsWith("shop.Cart.pack"));
    }

    @Test
    void buffersThatGrowTellByHowMuch() {
        Finding finding =
                direct(600 * MB, 150, i -> 2 * i * MB)
                        .judged()
                        .finding("direct.leak")
                        .orElseThrow();

        assertThat(finding.title()).endsWith(" and grow");
        assertThat(finding.evidence()).hasSize(1);
        assertThat(finding.evidence().get(0).text()).contains("they grew by 300 MiB");
    }

    private static Facts pressure(Story story) {
        return Story.rule("direct.pressure").judge(story.situation());
    }

    @Test
    void whereCollectionsAreForbiddenMoreThanHalfOfTheLimitIsPressure() {
        Story half = direct(64 * MB, 5, i -> 32 * MB).flag("DisableExplicitGC", "true");
        assertThat(pressure(half).check.why())
                .isEqualTo(
                        "Direct buffers took at most 32 MiB of 64 MiB, and the JDK requested 0"
                                + " collections for them.");
        Story more = direct(64 * MB, 5, i -> 32 * MB + 1).flag("DisableExplicitGC", "true");
        assertThat(pressure(more).finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void threeCollectionsForBuffersArePressure() {
        Story story = direct(64 * MB, 2, i -> 60 * MB);
        story.full(20, 10 * MB, "System.gc()").full(20, 10 * MB, "System.gc()");
        assertThat(pressure(story).check.why()).endsWith("requested 2 collections for them.");
        story.full(20, 10 * MB, "System.gc()");
        assertThat(pressure(story).finding.severity()).isEqualTo(Severity.INFO);
    }

    /** Resident memory after the start-up of ten seconds. */
    private static Story resident(int seconds, IntToLongFunction more) {
        Story story = Story.g1().seconds(9, MB);
        long before = story.resident;
        for (int i = 0; i < seconds; i++) {
            story.resident = before + more.applyAsLong(i);
            story.second(MB);
        }
        return story;
    }

    private static Severity unaccounted(Story story) {
        return severity(story.judged(), "native.unaccounted");
    }

    @Test
    void tenLooksAfterTheStartAreNeeded() {
        assertHidden(resident(9, i -> 9 * i * MB).judged(), "native.unaccounted", "there were 9");
        assertThat(why(resident(10, i -> 9 * i * MB).judged(), "native.unaccounted"))
                .contains("takes a steady growth");
        assertHidden(resident(30, i -> -500 * MB).judged(), "native.unaccounted", "were 0");
    }

    @Test
    void itIsGrowthOfFifteenSecondsAndTwentyFourMegabytes() {
        assertThat(unaccounted(resident(16, i -> 9 * i * MB))).isEqualTo(Severity.WARNING);
        assertThat(unaccounted(resident(15, i -> 9 * i * MB))).isNull();
        assertThat(unaccounted(resident(25, i -> i * MB))).isEqualTo(Severity.INFO);
        assertThat(unaccounted(resident(24, i -> i * MB))).isNull();
        assertThat(unaccounted(resident(17, i -> 4 * i * MB))).isEqualTo(Severity.WARNING);
    }

    /** Scripts load and unload classes all the time; that is no start without an end. */
    @Test
    void classesThatAreLoadedAllTheTimeDelayItByAMinuteAtMost() {
        Story story = Story.g1();
        for (int second = 1; second <= 90; second++) {
            story.loaded += 100;
            story.unloaded += 100;
            story.resident += 3 * MB;
            story.second(MB);
        }
        assertThat(unaccounted(story)).isEqualTo(Severity.WARNING);
    }

    @Test
    void itMustBeSteadyAndGoOn() {
        assertThat(unaccounted(resident(40, i -> (i % 8 == 0 ? 0 : 3 * i) * MB))).isNull();
        assertThat(unaccounted(resident(40, i -> (i < 22 ? 30 * i : 640 + i) * MB / 10))).isNull();
    }

    /** After ten minutes the first ticks are ten seconds apart; that does not move the start. */
    @Test
    void theStartEndsAtTheSameTimeWhenItsTicksAreFarApart() {
        for (int apart : new int[] {1, 10}) {
            Story story = Story.g1();
            for (int second = apart; second <= 300; second += apart) {
                story.now += (apart - 1) * 1_000L;
                story.loaded += second <= 40 ? 100L * apart : 0;
                story.resident += (second <= 40 ? MB : 0) * apart;
                story.second(0);
            }
            assertThat(why(story.judged(), "native.unaccounted"))
                    .as("%d s apart", apart)
                    .containsPattern("changed by 0 bytes in 4\\.[23] min");
        }
    }

    /** An hour of 16 MiB, and then 12 MiB a second. */
    @Test
    void growthThatBeginsLateIsReportedAsSoon() {
        for (int at : new int[] {0, 60, 600, 3600}) {
            for (int more : new int[] {7, 10, 15}) {
                Story story =
                        direct(256 * MB, at + more, i -> (16 + 12 * Math.max(0, i - at)) * MB);
                assertThat(leak(story)).as("%d s after %d s", more, at).isEqualTo(Severity.WARNING);
            }
            assertThat(leak(direct(256 * MB, at + 3, i -> (16 + 12 * Math.max(0, i - at)) * MB)))
                    .isNull();
        }
    }

    /** Pools that were filled once, and stay. */
    @Test
    void aPoolThatHasFilledIsNotWarnedOfLater() {
        for (int seconds = 30; seconds < 400; seconds += 7) {
            assertNotWarned(direct(256 * MB, seconds, i -> Math.min(i, 10) * 12 * MB));
        }
    }

    /** The collection at the limit was in vain, and no thread has requested a buffer since. */
    @Test
    void buffersThatStayAtTheLimitAreStillThereAMinuteLater() {
        for (int later : new int[] {5, 59, 70, 300}) {
            Story story = direct(256 * MB, 10, i -> i * 25 * MB);
            story.full(20, 10 * MB, "System.gc()").seconds(later, MB);
            assertThat(leak(story)).as("%d s", later).isEqualTo(Severity.CRITICAL);
        }
    }

    /** They were given back, so they hide no growth. */
    @Test
    void classesThatWereUnloadedTakeNothing() {
        Story story = Story.g1();
        for (int i = 0; i < 120; i++) {
            story.loaded += 1000;
            story.unloaded += 1000;
            story.resident += 2 * MB;
            story.second(MB);
        }
        assertThat(severity(story.judged(), "native.unaccounted")).isEqualTo(Severity.WARNING);
    }

    /** It has slowed down, and ends below its limit. */
    @Test
    void aPoolThatIsNearlyFilledIsNotReported() {
        assertThat(leak(onDemand(20, 200 * MB, 3))).isNull();
    }
}
