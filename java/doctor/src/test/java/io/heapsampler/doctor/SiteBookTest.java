// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.OldCollections.at;
import static io.heapsampler.doctor.OldCollections.collected;
import static io.heapsampler.doctor.OldCollections.growing;
import static io.heapsampler.doctor.OldCollections.shot;
import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The figures of sites over collections of the old generation. */
class SiteBookTest {

    private final SiteBook history = new SiteBook();

    private SiteMetrics site(String className) {
        return OldCollections.site(history, className);
    }

    @Test
    void objectsThatDieAtTheNextOldCollectionWerePromotedInVain() {
        Shot shot = shot(21);
        int vain = shot.site("a.Vain", "make", 1000);
        int stays = shot.site("a.Stays", "keep", 1000);
        int young = shot.site("a.Young", "drop", 1000);
        shot.dead(vain, 20, 100, at(12), 1, at(19), at(20) + 5);
        shot.live(vain, 5, 100, at(13), 1);
        shot.live(stays, 20, 100, at(12), 3);
        shot.dead(young, 20, 100, at(12), 0, at(12), at(13));
        history.add(shot.take(), collected(10, 20).timeline(), 0);

        assertThat(site("a.Vain").prematureShare()).isCloseTo(0.8, within(1e-9));
        assertThat(site("a.Vain").promotedDead().value()).isEqualTo(2000);
        assertThat(site("a.Stays").prematureShare()).isZero();
        assertThat(site("a.Stays").reachedOld().value()).isEqualTo(2000);
        assertThat(site("a.Young").reachedOld().value()).isZero();
        assertThat(site("a.Young").prematureShare()).isNaN();
    }

    /** Dead before it, never met by a young one, or born after the last. */
    @Test
    void objectsThatWereNotPromotedAreNotCounted() {
        Shot shot = shot(22);
        int site = shot.site("a.Absent", "make", 1000);
        shot.dead(site, 20, 100, at(12), 1, at(15), at(20) - 1);
        shot.dead(site, 20, 100, at(12), 0, at(19), at(20) + 5);
        shot.live(site, 20, 100, at(12), 0).live(site, 20, 100, at(20) + 1, 1);
        int there = shot.site("a.There", "make", 1000);
        shot.dead(there, 20, 100, at(12), 1, at(20), at(20));
        history.add(shot.take(), collected(10, 20).timeline(), 0);

        assertThat(site("a.Absent").reachedOld().value()).isZero();
        assertThat(site("a.There").promotedDead().value()).isEqualTo(2000);
    }

    @Test
    void objectsThatSurviveOneOldCollectionWereNotPromotedInVain() {
        Shot shot = shot(31);
        int cached = shot.site("a.Cached", "put", 1000);
        shot.dead(cached, 20, 100, at(12), 5, at(29), at(30) + 5);
        history.add(shot.take(), collected(10, 20, 30).timeline(), 0);

        assertThat(site("a.Cached").reachedOld().value()).isEqualTo(2000);
        assertThat(site("a.Cached").promotedDead().value()).isZero();
    }

    /**
     * As recorded on ZGC of JDK 25: objects that were promoted in vain look like objects that died
     * young. Only objects that stay have certainly survived a collection.
     */
    @ParameterizedTest
    @EnumSource(names = {"Z_GENERATIONAL", "SHENANDOAH_GENERATIONAL"})
    void promotionIsNotCountedIfSamplesDoNotShowIt(GarbageCollector collector) {
        Shot shot = shot(21);
        int vain = shot.site("a.Vain", "make", 1000);
        int young = shot.site("a.Young", "drop", 1000);
        int stays = shot.site("a.Stays", "keep", 1000);
        shot.dead(vain, 20, 100, at(12), 0, at(20) + 10, at(20) + 20);
        shot.dead(young, 20, 100, at(12), 0, at(20) + 10, at(20) + 20);
        shot.live(stays, 20, 100, at(5), 1);
        Story story = collected(new Story(collector, 25), 10, 20);
        history.add(shot.take(), story.timeline(), 0);

        for (String each : List.of("a.Vain", "a.Young", "a.Stays")) {
            assertThat(site(each).reachedOld().value()).isZero();
            assertThat(site(each).prematureShare()).isNaN();
        }
        assertThat(site("a.Stays").retained().value()).isEqualTo(2000);
    }

    @Test
    void eachCollectionCountsOnce() {
        Shot first = shot(21);
        first.live(first.site("a.Stays", "keep", 1000), 20, 100, at(12), 3);
        Shot second = shot(25);
        second.live(second.site("a.Stays", "keep", 1000), 20, 100, at(12), 4);
        history.add(first.take(), collected(10, 20).timeline(), 0);
        history.add(second.take(), collected(10, 20).timeline(), 0);

        assertThat(site("a.Stays").reachedOld().value()).isEqualTo(2000);
        assertThat(history.totals().oldCollections()).isEqualTo(2);
    }

    @Test
    void aResetForgets() {
        Shot first = shot(21);
        first.live(first.site("a.Stays", "keep", 1000), 20, 100, at(12), 3);
        history.add(first.take(), collected(10, 20).timeline(), 0);
        history.add(new Shot(at(22), at(23)).take(), collected(10, 20).timeline(), 0);

        assertThat(history.sites()).isEmpty();
    }

    @Test
    void whatHasSurvivedTwoOldCollectionsIsRetained() {
        Shot shot = shot(21);
        int site = shot.site("a.Stays", "keep", 4000);
        shot.live(site, 10, 100, at(5), 9).live(site, 10, 100, at(12), 3);
        shot.live(site, 10, 100, at(20) + 500, 1);
        history.add(shot.take(), collected(10, 20).timeline(), 0);

        assertThat(site("a.Stays").retained().value()).isEqualTo(1000);
        assertThat(site("a.Stays").birthEpochs()).isEqualTo(3);
        assertThat(site("a.Stays").churn().value()).isEqualTo(1);
    }

    @Test
    void halfARegionIsHumongous() {
        Story story = Story.g1();
        Shot shot = shot(21);
        int site = shot.site("byte[]", "pack", 4000);
        shot.live(site, 2, MB / 2, at(5), 1).live(site, 3, MB / 2 - 1, at(5), 1);
        history.add(shot.take(), story.second(MB).timeline(), 0);

        assertThat(site("byte[]").humongous().value()).isEqualTo(1.0 * MB);
    }

    @Test
    void itKeepsFewSnapshotsOfALongTime() {
        for (int i = 1; i <= 100; i++) {
            Shot shot = shot(10 * i);
            shot.live(shot.site("a.Stays", "keep", 1000), 20, 100, at(1), 3);
            history.add(shot.take(), collected(1).timeline(), 0);
        }
        assertThat(history.growthSpan()).isEqualTo(new SiteBook.Span(at(10), at(1000)));
    }

    @Test
    void aBookOfNothingTellsNothing() {
        assertThat(history.isEmpty()).isTrue();
        assertThat(history.totals().interval()).isEqualTo(-1);
        assertThat(history.sites()).isEmpty();
        assertThat(history.growth.growing()).isEmpty();
        assertThat(history.growthSpan()).isEqualTo(new SiteBook.Span(0, 0));
        history.add(shot(21).take(), collected(10).timeline(), 0);
        assertThat(history.isEmpty()).isFalse();
        assertThat(history.totals().interval()).isEqualTo(512 * 1024);
        assertThat(history.growthSpan()).isEqualTo(new SiteBook.Span(at(21), at(21)));
    }

    @Test
    void whatIsWorkedOutOnceIsNotWorkedOutAgain() {
        for (int i = 1; i <= 3; i++) {
            history.add(growing(60 * i, 0, 1_000 * i), collected(1).timeline(), 0);
        }
        List<SiteMetrics> sites = history.sites();
        List<SiteEvidence> growing = history.growth.growing();
        assertThat(growing).hasSize(1);
        assertThat(history.sites()).isSameAs(sites);
        assertThat(history.growth.growing()).isSameAs(growing);
        history.add(growing(240, 0, 4_000), collected(1).timeline(), 0);
        assertThat(history.sites()).isNotSameAs(sites);
        assertThat(history.growth.growing()).isNotSameAs(growing);
    }

    /** Each would unpack all snapshots at the same time, and get a list of its own. */
    @Test
    void callersAtTheSameTimeWaitForOneOfThem() throws Exception {
        for (int i = 1; i <= 4; i++) {
            history.add(growing(60 * i, 0, 5_000 * i), collected(1).timeline(), 0);
        }
        CountDownLatch start = new CountDownLatch(1);
        Set<List<SiteEvidence>> lists =
                Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Thread thread =
                    new Thread(
                            () -> {
                                await(start);
                                lists.add(history.growth.growing());
                            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(lists).hasSize(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void sitesAreTheSameByClassAndStack() {
        SiteView.Name name = new SiteView.Name("a.C", List.of());

        assertThat(name).isEqualTo(new SiteView.Name("a.C", List.of()));
        assertThat(name).isNotEqualTo(new SiteView.Name("a.D", List.of()));
        assertThat(name).isNotEqualTo(new SiteView.Name("a.C", stack()));
        assertThat(name.equals((Object) "a.C")).isFalse();
    }

    private static List<HeapFrame> stack() {
        Shot shot = shot(1);
        shot.site("a.C", "make", 1);
        return shot.take().sites().get(0).stack();
    }

    @Test
    void sitesAreBoundedAndThoseThatMatterStay() {
        Shot shot = shot(21);
        shot.live(shot.site("a.Big", "keep", 1e6), 1, 1_000_000, at(5), 1);
        shot.live(shot.site("a.PluginLoader", "load", 10), 1, 10, at(5), 1);
        for (int i = 0; i < 2_000; i++) {
            shot.live(shot.site("a.C" + i, "keep", 1000), 1, 1000, at(5), 1);
        }
        HeapSnapshot snapshot = shot.take();
        history.add(snapshot, collected(10).timeline(), 0);
        history.addCloser(snapshot, true);

        assertThat(history.sites()).hasSize(512);
        assertThat(history.sites())
                .extracting(SiteMetrics::className)
                .contains("a.Big", "a.PluginLoader");
        assertThat(history.closer(true)).hasSize(512);
    }

    /** Four times what ten young collections have promoted is dead at the next old one. */
    private static Story promoting() {
        Story story = Story.serial();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 10; i++) {
                story.second(12 * MB).young(20, 11 * MB);
            }
            story.full(100, 10 * MB, "Allocation Failure");
        }
        return story;
    }

    @Test
    void theFindingNamesTheSiteAndHowLongItsObjectsLive() {
        Story story = promoting();
        long last = story.timeline().collections().get(43).atMillis();
        Shot shot = new Shot(at(0), story.now);
        int ring = shot.site("byte[]", "fill", 480.0 * MB);
        shot.dead(ring, 30, MB, last - 3000, 1, last - 100, last + 50);
        shot.live(ring, 10, MB, last - 1000, 1);
        history.add(shot.take(), story.timeline(), 0);
        Finding finding =
                story.second(0).judged(history).finding("promotion.premature").orElseThrow();

        assertThat(finding.sites()).singleElement().matches(s -> s.className().equals("byte[]"));
        assertThat(finding.sites().get(0).estimate().value()).isEqualTo(30.0 * MB);
        assertThat(finding.advice().kind()).isEqualTo(Advice.Kind.CODE);
        assertThat(finding.advice().text()).contains("shop.Cart.fill");
        assertThat(Story.value(finding, "promoted.dead")).isEqualTo(0.75);
    }

    @Test
    void samplesThatLiveOnRefuteIt() {
        Story story = promoting();
        long last = story.timeline().collections().get(43).atMillis();
        Shot shot = new Shot(at(0), story.now);
        int cache = shot.site("byte[]", "put", 480.0 * MB);
        shot.dead(cache, 5, MB, last - 3000, 1, last - 100, last + 50);
        shot.live(cache, 30, MB, last - 1000, 1);
        history.add(shot.take(), story.timeline(), 0);
        Diagnosis diagnosis = story.second(0).judged(history);

        assertThat(diagnosis.finding("promotion.premature")).isEmpty();
        assertThat(Story.why(diagnosis, "promotion.premature")).contains("14 %", "by samples");
    }
}
