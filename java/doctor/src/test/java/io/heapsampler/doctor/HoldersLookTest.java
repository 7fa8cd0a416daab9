// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SnapshotOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import shop.Shelf;

/** Which findings get holders, when, and what the evidence says. */
class HoldersLookTest {

    private static final double PAUSE_MAX = 10_000;

    /** Longer than {@link Until} waits: on a busy machine the usual 20 s were over in a CI run. */
    private static final Duration MOST_TIME = Duration.ofMinutes(10);

    private final AtomicInteger searches = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final SiteBook book = new SiteBook();

    /** What the last search of {@link #look} has found. */
    private final AtomicReference<HeldBy> last = new AtomicReference<>();

    private HoldersLook look() {
        return new HoldersLook(
                PAUSE_MAX,
                book,
                ended::incrementAndGet,
                sites -> {
                    HeldBy found = HoldersLook.search(sites, MOST_TIME);
                    last.set(found);
                    return found;
                });
    }

    @AfterEach
    void forget() {
        Shelf.clear();
        HeapSampler.stop();
    }

    private static Finding finding(String id, Severity severity, List<SiteEvidence> sites) {
        Finding bare = Samples.finding(id, severity);
        return new Finding(
                id,
                severity,
                bare.title(),
                bare.startedAt(),
                bare.endedAt(),
                bare.collector(),
                List.of(new Evidence("live", 1, "bytes", "1 byte is live.")),
                sites,
                List.of(),
                List.of(),
                List.of(),
                null,
                null);
    }

    private static Diagnosis judged(Finding... findings) {
        return judged(Samples.timeline(Samples.ticks(1_000, 2_000), List.of()), findings);
    }

    private static Diagnosis judged(Timeline timeline, Finding... findings) {
        Situation situation = Situation.of(timeline, new SiteBook(), Slo.DEFAULT);
        return new Diagnosis(situation, List.of(findings), List.of(), List.of());
    }

    private static List<SiteEvidence> sites() throws InterruptedException {
        HeapSampler.setInterval(0);
        HeapSampler.start();
        Shelf.fill(5_000);
        HeapSampler.setInterval(512 * 1024);
        List<SiteEvidence> named =
                HeapSampler.snapshot(SnapshotOptions.afterGc()).sites().stream()
                        .filter(site -> site.className().equals(Shelf.Kept.class.getName()))
                        .filter(site -> site.live().samples() > 0)
                        .map(HoldersLookTest::evidence)
                        .toList();
        assertThat(named).as("sites, with %s", HeapSampler.status()).isNotEmpty();
        return named;
    }

    private static SiteEvidence evidence(HeapSite site) {
        return new SiteEvidence(
                site.className(), site.stack(), "live", site.live().bytes(), "bytes");
    }

    /** Refuses each search, and counts them. */
    private HoldersLook refusing(double pauseMax) {
        return new HoldersLook(
                pauseMax,
                book,
                ended::incrementAndGet,
                sites -> {
                    searches.incrementAndGet();
                    throw new IllegalStateException("another search is running.");
                });
    }

    private void after(HoldersLook look, int count, long now, Finding... findings)
            throws InterruptedException {
        look.update(judged(findings), now);
        Until.until("searches", () -> searches.get() == count && !look.isSearching());
    }

    @Test
    void theHoldersOfALeakBecomeEvidence() throws InterruptedException {
        List<SiteEvidence> named = sites();
        HoldersLook look = look();
        Diagnosis leak = judged(finding("leak.growth", Severity.WARNING, named));

        searched(look, leak, 1);
        assertThat(look.added(leak).notes()).isEmpty();
        List<Evidence> evidence = look.added(leak).findings().get(0).evidence();
        assertThat(evidence).extracting(Evidence::name).startsWith("live", "held.by");
        Evidence held = evidence.get(1);
        assertThat(held.value()).isGreaterThan(0.95);
        assertThat(held.text())
                .matches(
                        "static field shop\\.Shelf\\.KEPT → element of ArrayList holds \\d+ % of"
                                + " the live bytes of these sites, by [\\d,]+ samples\\.");
        assertThat(evidence).extracting(Evidence::name).endsWith("held.pause");
    }

    @Test
    void findingsWithoutSitesAreNotSearched() throws InterruptedException {
        HoldersLook look = refusing(PAUSE_MAX);

        after(look, 0, 1, finding("metaspace.leak", Severity.WARNING, List.of()));

        assertThat(searches).hasValue(0);
    }

    private static HeldBy held(HeldByOptions options) {
        return HeapSampler.snapshot().heldBy(options);
    }

    /** Answers each search with the same holders. */
    private HoldersLook answering(HeldBy held) {
        return new HoldersLook(PAUSE_MAX, book, ended::incrementAndGet, sites -> held);
    }

    private static void searched(HoldersLook look, Diagnosis judged, long now)
            throws InterruptedException {
        look.update(judged, now);
        Until.until("the end", () -> !look.isSearching());
    }

    /** As with ZGC, if nothing is found in time. */
    @Test
    void aSearchThatFindsNoHolderIsANote() throws InterruptedException {
        List<SiteEvidence> named = sites();
        HoldersLook look = answering(held(HeldByOptions.ofClass(Shelf.Kept.class).maxMemory(1)));
        Diagnosis leak = judged(finding("leak.growth", Severity.WARNING, named));

        searched(look, leak, 1);
        assertThat(look.added(leak).findings().get(0).evidence()).hasSize(1);
        assertThat(look.added(leak).notes())
                .singleElement()
                .asString()
                .startsWith(
                        "The holders of leak.growth are unknown: the search found no path to the"
                                + " objects (");
    }

    /** Not even the reason of the failure can be put together. */
    private static final class NoMemory extends OutOfMemoryError {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("made up for a test");
        }
    }

    /** Applications end themselves for an uncaught error. */
    @Test
    void aSearchWithoutMemoryThrowsNothing() throws InterruptedException {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Finding leak = finding("leak.growth", Severity.WARNING, sites());
        AtomicReference<Thread> searching = new AtomicReference<>();
        HoldersLook look =
                new HoldersLook(
                        PAUSE_MAX,
                        book,
                        ended::incrementAndGet,
                        sites -> {
                            searching.set(Thread.currentThread());
                            searches.incrementAndGet();
                            throw new NoMemory();
                        });
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
        try {
            after(look, 1, 1, leak);
            searching.get().join();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }

        assertThat(uncaught).isEmpty();
        after(look, 2, 1 + HoldersLook.APART_MILLIS, leak);
    }

    private static Timeline resident(GarbageCollector collector, long bytes) {
        JvmSettings plain = Samples.settings();
        JvmSettings settings =
                new JvmSettings(
                        25,
                        collector,
                        plain.maxHeap(),
                        plain.initialHeap(),
                        plain.maxYoung(),
                        plain.regionSize(),
                        plain.maxMetaspace(),
                        plain.maxDirect(),
                        plain.flags());
        long[] row = Samples.row(Samples.tick(1_000));
        row[11] = bytes;
        return new Timeline(settings, List.of(Tick.of(row)), List.of(), List.of());
    }

    /** 10 ms and 60 µs for each MB; ZGC's heap is walked in short stops. */
    @Test
    void thePauseGrowsWithTheProcessExceptUnderZgc() throws InterruptedException {
        HoldersLook look = refusing(200);
        Finding leak = finding("leak.growth", Severity.WARNING, sites());

        look.update(judged(resident(GarbageCollector.G1, 3_200_000_000L), leak), 1);
        assertThat(look.added(judged(leak)).notes())
                .singleElement()
                .asString()
                .contains("for about 202 ms, and pauseMax is 200 ms.");
        assertThat(searches).hasValue(0);

        long later = 1 + HoldersLook.APART_MILLIS;
        look.update(judged(resident(GarbageCollector.G1, 3_100_000_000L), leak), later);
        Until.until("a search", () -> searches.get() == 1 && !look.isSearching());
        later += HoldersLook.APART_MILLIS;
        look.update(judged(resident(GarbageCollector.Z, 32_000_000_000L), leak), later);
        Until.until("a search", () -> searches.get() == 2 && !look.isSearching());
    }

    @Test
    void onlyWarningsAboutLiveMemoryWithSitesAreSearched() throws InterruptedException {
        HoldersLook look = refusing(PAUSE_MAX);
        List<SiteEvidence> named = sites();

        look.update(
                judged(
                        finding("leak.growth", Severity.INFO, named),
                        finding("gc.stall", Severity.CRITICAL, named),
                        finding("old.frequent", Severity.WARNING, List.of())),
                1);
        assertThat(look.isSearching()).isFalse();
        assertThat(searches).hasValue(0);

        after(look, 1, 2, finding("old.frequent", Severity.CRITICAL, named));
        after(look, 2, 3, finding("metaspace.leak", Severity.WARNING, named));
    }

    @Test
    void theSameFindingIsSearchedAgainAfterTenMinutes() throws InterruptedException {
        HoldersLook look = refusing(PAUSE_MAX);
        Finding leak = finding("leak.growth", Severity.WARNING, sites());

        after(look, 1, 1_000, leak);
        after(look, 1, 1_000 + HoldersLook.APART_MILLIS - 1, leak);
        after(look, 2, 1_000 + HoldersLook.APART_MILLIS, leak);
        assertThat(look.added(judged(leak)).notes())
                .containsExactly(
                        "The holders of leak.growth are unknown: another search is running.");
        assertThat(look.added(judged()).notes()).isEmpty();
        look.close();
        after(look, 2, 1_000 + 2 * HoldersLook.APART_MILLIS, leak);
    }

    @Test
    void aSearchThatWouldPauseForTooLongIsRefused() throws InterruptedException {
        HoldersLook look = refusing(5);
        Finding leak = finding("leak.growth", Severity.WARNING, sites());

        look.update(judged(leak), 1);

        assertThat(look.isSearching()).isFalse();
        assertThat(look.added(judged(leak)).notes())
                .singleElement()
                .asString()
                .matches(
                        "The holders of leak\\.growth were not searched: the search would stop the"
                                + " application for about \\d+ ms, and pauseMax is 5 ms\\. The"
                                + " command heapsampler heldby searches them on demand\\.");
    }

    @Test
    void sitesWithoutLiveSamplesHaveNoHolders() throws InterruptedException {
        List<SiteEvidence> named = sites();
        HeapSampler.reset();
        HoldersLook look = look();
        Finding leak = finding("leak.growth", Severity.WARNING, named);

        look.update(judged(leak), 1);
        Until.until("the end", () -> !look.isSearching());

        assertThat(look.added(judged(leak)).findings().get(0).evidence()).hasSize(1);
        assertThat(look.added(judged(leak)).notes())
                .containsExactly(
                        "The holders of leak.growth are unknown: no object of the sites named is"
                                + " alive and sampled.");
    }

    /** A month later the same finding may be about other sites. */
    @Test
    void anAnswerIsShownOnlyWithItsOwnSites() throws InterruptedException {
        List<SiteEvidence> named = sites();
        HoldersLook look = look();
        Diagnosis leak = judged(finding("leak.growth", Severity.WARNING, named));
        look.update(leak, 1);
        Until.until("the end", () -> !look.isSearching());

        SiteEvidence first = named.get(0);
        SiteEvidence other =
                new SiteEvidence("shop.Other", List.of(), "live", first.estimate(), "bytes");
        Diagnosis later = judged(finding("leak.growth", Severity.WARNING, List.of(other)));

        assertThat(look.added(leak).findings().get(0).evidence()).hasSizeGreaterThan(1);
        assertThat(look.added(later).findings().get(0).evidence()).hasSize(1);
    }

    private static Finding awaiting(List<SiteEvidence> sites) {
        return information(HoldersLook.SOFT_AWAITED, sites);
    }

    private static Finding information(String evidence, List<SiteEvidence> sites) {
        Finding leak = finding("leak.growth", Severity.INFO, sites);
        List<Evidence> one = List.of(new Evidence(evidence, 1, "count", "It is soft, or not."));
        return leak.with(Severity.INFO, one, List.of(), null);
    }

    /** The same line may have begun to leak. */
    @Test
    void softlyReachableMemoryIsSearchedAgainAfterTenMinutes() throws InterruptedException {
        HoldersLook look = refusing(PAUSE_MAX);
        List<SiteEvidence> named = sites();
        Finding soft = information(HoldersLook.SOFT_SHARE, named);

        after(look, 1, 1_000, awaiting(named));
        after(look, 1, 1_000 + HoldersLook.APART_MILLIS - 1, soft);
        after(look, 2, 1_000 + HoldersLook.APART_MILLIS, soft);
    }

    @Test
    void aSearchShowsWhatIsOnlySoftlyReachable() throws InterruptedException {
        List<SiteEvidence> named = sites();
        HoldersLook look = look();

        searched(look, judged(awaiting(named)), 1);
        assertThat(book.softly.isOf(named)).isTrue();
        assertThat(book.softly.share()).isZero();

        Shelf.soften();
        Finding leak = finding("leak.growth", Severity.WARNING, named);
        searched(look, judged(leak), 1 + HoldersLook.APART_MILLIS);
        assertThat(book.softly.share()).as("of %s", last.get().toText(40)).isGreaterThan(0.9);
        Until.until("the calls", () -> ended.get() == 2);
    }

    /** Of its own search, and of those before it, of other findings. */
    @Test
    void aWarningWaitsForTenSecondsInTotal() throws InterruptedException {
        Diagnosis waiting = judged(awaiting(sites()));
        HoldersLook look = endless();
        Diagnosis warning = judged(finding("leak.growth", Severity.WARNING, List.of()));
        book.canSearchHolders = true;

        look.update(waiting, 50_000);
        look.update(warning, 55_000); // It waited for 5 s.
        look.advance(80_000);
        look.update(warning, 80_000);
        look.update(waiting, 100_000);
        look.advance(103_999);
        assertThat(book.canSearchHolders).isTrue();
        assertThat(ended).hasValue(0);

        look.advance(104_000);
        assertThat(book.canSearchHolders).isFalse();
        assertThat(ended).hasValue(1);
        may.countDown();
        Until.until("the end", () -> !look.isSearching());
    }

    /** A search that ends later lets other lines be awaited: not those of the same finding. */
    @Test
    void aWarningThatHasWaitedDoesNotWaitAgainUntilItIsForgotten() throws InterruptedException {
        Diagnosis waiting = judged(awaiting(sites()));
        HoldersLook look = endless();
        book.canSearchHolders = true;
        look.update(waiting, 1_000);
        look.update(waiting, 10_000);
        assertThat(book.canSearchHolders).isFalse();

        may.countDown();
        Until.until("the end", () -> !look.isSearching());
        assertThat(book.softly.isOf(waiting.findings().get(0).sites())).isTrue();
        assertThat(book.canSearchHolders).isFalse();

        look.update(judged(), 10_000 + Findings.FORGET_MILLIS);
        assertThat(book.canSearchHolders).isFalse();
        look.update(judged(), 10_001 + Findings.FORGET_MILLIS);
        assertThat(book.canSearchHolders).isTrue();
        look.update(waiting, 200_000);
        look.advance(208_999);
        assertThat(book.canSearchHolders).isTrue();
    }

    /** No judgement follows. */
    @Test
    void atTheEndNothingIsAwaited() {
        HoldersLook look = refusing(PAUSE_MAX);
        book.canSearchHolders = true;
        look.endWait();
        assertThat(book.canSearchHolders).isFalse();
    }

    private final CountDownLatch may = new CountDownLatch(1);

    /** Searches end when they may. */
    private HoldersLook endless() {
        HeldBy held = held(HeldByOptions.ofClass(Shelf.Kept.class));
        return new HoldersLook(
                PAUSE_MAX,
                book,
                ended::incrementAndGet,
                sites -> {
                    try {
                        may.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return held;
                });
    }

    /** The warning must not wait. */
    @Test
    void afterASearchThatFailsNothingIsAwaited() throws InterruptedException {
        HoldersLook look = refusing(PAUSE_MAX);
        book.canSearchHolders = true;

        after(look, 1, 1, awaiting(sites()));

        assertThat(book.canSearchHolders).isFalse();
        assertThat(ended.get()).isPositive();
    }

    @Test
    void noWarningWaitsForASearchThatIsRefusedOrClosed() throws InterruptedException {
        List<SiteEvidence> named = sites();
        book.canSearchHolders = true;
        refusing(5).update(judged(awaiting(named)), 1);
        assertThat(book.canSearchHolders).isFalse();

        book.canSearchHolders = true;
        refusing(PAUSE_MAX).close();
        assertThat(book.canSearchHolders).isFalse();
    }
}
