// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.Allocations;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The doctor leaves the sampler of this JVM as it found it. */
class SiteWatchTest {

    private static byte[][] kept = {};

    private final History history = new History();
    private final SiteWatch watch =
            new SiteWatch(
                    history,
                    new VmClock(),
                    () -> history.timeline(Samples.settings(), 0),
                    () -> HeapSampler.share("doctor"));

    @BeforeEach
    @AfterEach
    void nothingIsSampled() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    /** 16 MiB at an interval of half of one: none is seen with a chance of e⁻³². */
    private static void allocate() {
        for (int i = 0; i < 16; i++) {
            kept = new byte[][] {Allocations.bytes(1 << 20)};
        }
    }

    private static long samples(HeapSnapshot snapshot) {
        return snapshot.totals().allocated().samples();
    }

    @Test
    void whatItHasStartedGoesWithItsSamplesAndBounds() {
        watch.begin();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        allocate();
        watch.refresh();
        assertThat(watch.sites().isEmpty()).isFalse();
        watch.close();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(samples(HeapSampler.snapshot())).isZero();
        assertThat(watch.sites().sites()).isNotEmpty();
        HeapSampler.start(SamplerOptions.builder().maxTracked(1_000).build());
        watch.close();
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void noSnapshotIsTakenAfterTheEnd() {
        AtomicInteger taken = new AtomicInteger();
        AtomicLong now = new AtomicLong(5);
        SiteWatch timed = counting(taken, now);
        HeapSampler.start();
        timed.refresh();
        assertThat(taken).hasValue(1);
        timed.close();
        now.addAndGet(100_000);
        timed.refresh();
        timed.look();
        assertThat(taken).hasValue(1);
    }

    /** A snapshot is added with the timeline, so each request for a timeline is a snapshot. */
    @Test
    void snapshotsAreTakenWhenThereIsSomethingNew() {
        AtomicInteger taken = new AtomicInteger();
        AtomicLong now = new AtomicLong(5);
        SiteWatch timed = counting(taken, now);
        timed.look();
        timed.refresh();
        assertThat(taken).hasValue(0);
        timed.begin();
        timed.look();
        timed.look();
        assertThat(taken).hasValue(1);
        now.addAndGet(59_999);
        timed.look();
        assertThat(taken).hasValue(1);
        now.incrementAndGet();
        timed.look();
        assertThat(taken).hasValue(2);
        history.add(Samples.collection(1, 5, CollectionKind.FULL_PAUSE, "x"));
        timed.look();
        timed.look();
        assertThat(taken).hasValue(3);
        timed.close();
    }

    private static Diagnosis judged(String id, Severity severity) {
        Timeline timeline = Samples.timeline(List.of(), List.of());
        Situation situation = Situation.of(timeline, new SiteBook(), Slo.DEFAULT);
        List<Finding> findings = List.of(Samples.finding(id, severity));
        return new Diagnosis(situation, findings, List.of(), List.of());
    }

    /** The collection that shows a leak may be the first one, and later than the last snapshot. */
    @Test
    void aLeakWithoutSitesGetsTheSnapshotAfterItsCollection() {
        AtomicInteger taken = new AtomicInteger();
        AtomicLong now = new AtomicLong(5);
        SiteWatch timed = counting(taken, now);
        Diagnosis leak = judged("leak.growth", Severity.WARNING);
        assertThat(timed.refreshFor(judged("leak.growth", Severity.INFO))).isFalse();
        assertThat(timed.refreshFor(judged("gc.stall", Severity.WARNING))).isFalse();
        timed.begin();
        timed.refresh();
        now.addAndGet(1_000);
        assertThat(timed.refreshFor(leak)).isFalse();
        history.add(Samples.collection(1, 5, CollectionKind.FULL_PAUSE, "x"));
        assertThat(timed.refreshFor(leak)).isTrue();
        assertThat(timed.refreshFor(leak)).isFalse();
        assertThat(taken).hasValue(2);
        now.addAndGet(10_000);
        assertThat(timed.refreshFor(leak)).isTrue();
        timed.close();
    }

    /** Each would make G1 mark the heap. */
    @Test
    void onDemandALargeOneOfTenSecondsAgoIsOld() {
        AtomicInteger taken = new AtomicInteger();
        AtomicLong now = new AtomicLong(5);
        SiteWatch timed = counting(taken, now);
        timed.begin();
        timed.refresh();
        long at = lastOwn().atMillis();
        history.add(Samples.collection(at, 5, CollectionKind.YOUNG_PAUSE, Causes.HUMONGOUS));
        now.addAndGet(1_000);
        timed.refresh();
        assertThat(taken).as("the first one shows that it is large").hasValue(2);
        now.addAndGet(9_999);
        timed.refresh();
        assertThat(taken).hasValue(2);
        now.incrementAndGet();
        timed.refresh();
        assertThat(taken).hasValue(3);
        timed.close();
    }

    private JvmEvent lastOwn() {
        List<JvmEvent> all = history.timeline(Samples.settings(), 0).events();
        return all.get(all.size() - 1);
    }

    /** Or it would have collections after which the sampler has not looked. */
    @Test
    void theTimelineIsReadBeforeTheSnapshotIsTaken() {
        SiteWatch timed =
                new SiteWatch(
                        history,
                        new VmClock(),
                        () -> {
                            allocate();
                            return history.timeline(Samples.settings(), 0);
                        },
                        () -> HeapSampler.share("doctor"));
        timed.begin();
        timed.refresh();
        assertThat(timed.sites().sites()).isNotEmpty();
        timed.close();
    }

    @Test
    void onDemandOneOfASecondAgoIsOld() {
        AtomicInteger taken = new AtomicInteger();
        AtomicLong now = new AtomicLong(5);
        SiteWatch timed = counting(taken, now);
        timed.begin();
        timed.refresh();
        now.addAndGet(999);
        timed.refresh();
        assertThat(taken).hasValue(1);
        now.incrementAndGet();
        timed.refresh();
        assertThat(taken).hasValue(2);
        timed.close();
    }

    /** T8: the loss of the snapshot is reported, the sites stay, and the next one is taken. */
    @Test
    void aSnapshotWithoutRoomIsReportedUntilThereIsOne() {
        AtomicLong now = new AtomicLong(5);
        Throwable[] failure = new Throwable[1];
        SiteWatch timed =
                new SiteWatch(
                        history,
                        clock(now),
                        () -> {
                            if (failure[0] instanceof Error error) {
                                throw error;
                            }
                            return history.timeline(Samples.settings(), 0);
                        },
                        () -> HeapSampler.share("doctor"));
        timed.begin();
        allocate();
        timed.refresh();
        assertThat(timed.problem()).isNull();
        assertThat(timed.sites().sites()).isNotEmpty();
        for (Error error :
                List.of(
                        new OutOfMemoryError("Java heap space"),
                        new NoClassDefFoundError("Java heap space"))) {
            failure[0] = error;
            now.addAndGet(60_000);
            timed.look();
            assertThat(timed.problem()).isEqualTo("Java heap space");
            assertThat(timed.sites().sites()).isNotEmpty();
            failure[0] = null;
            timed.look(); // Tries again only after a minute, because it would fail again.
            assertThat(timed.problem()).isNotNull();
            now.addAndGet(60_000);
            timed.look();
            assertThat(timed.problem()).isNull();
        }
        failure[0] = new StackOverflowError();
        now.addAndGet(1_000);
        timed.refresh();
        assertThat(timed.problem())
                .as("one without a message")
                .isEqualTo("java.lang.StackOverflowError");
        timed.close();
    }

    private static VmClock clock(AtomicLong now) {
        return new VmClock(System::currentTimeMillis, now::get, System.currentTimeMillis());
    }

    private SiteWatch counting(AtomicInteger taken, AtomicLong now) {
        return new SiteWatch(
                history,
                clock(now),
                () -> {
                    taken.incrementAndGet();
                    return history.timeline(Samples.settings(), 0);
                },
                () -> HeapSampler.share("doctor"));
    }

    /** Started at once, so that it seems to be the same start. */
    @Test
    void closingTwiceStopsNothingOfOthers() {
        watch.begin();
        watch.close();
        HeapSampler.start();
        watch.close();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void samplesOfBeforeStay() {
        HeapSampler.start();
        allocate();
        HeapSampler.stop();
        long before = samples(HeapSampler.snapshot());
        watch.begin();
        watch.close();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(before).isPositive();
        assertThat(samples(HeapSampler.snapshot())).isGreaterThanOrEqualTo(before);
    }

    /** The application starts later, which does nothing but hold the sampler as well. */
    @Test
    void anApplicationThatStartsLaterKeepsItsSamples() {
        watch.begin();
        HeapSampler.start();
        allocate();
        long before = samples(HeapSampler.snapshot());
        watch.close();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(HeapSampler.status().holders()).containsExactly("application");
        assertThat(before).isPositive();
        assertThat(samples(HeapSampler.snapshot())).isGreaterThanOrEqualTo(before);
    }

    @Test
    void anApplicationThatStopsDoesNotEndIt() {
        HeapSampler.start();
        watch.begin();
        HeapSampler.stop();

        assertThat(HeapSampler.status().holders()).containsExactly("doctor");
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        watch.close();
    }

    /** The application runs on without samples, and the reason is reported. */
    @Test
    void aRefusedSamplerIsReportedAndLeftAlone() {
        SiteWatch refused =
                new SiteWatch(
                        history,
                        new VmClock(),
                        () -> history.timeline(Samples.settings(), 0),
                        () -> {
                            throw new HeapSamplingUnavailableException(
                                    HeapSamplingUnavailableException.Reason.OWNED_BY_OTHER,
                                    "another agent samples",
                                    null);
                        });
        refused.begin();
        refused.look();
        refused.refresh();
        assertThat(refused.problem()).isEqualTo("another agent samples");
        assertThat(refused.sites().isEmpty()).isTrue();
        HeapSampler.start(); // By another caller, which is not refused.
        refused.look();
        assertThat(refused.problem()).isNull();
        assertThat(refused.sites().isEmpty()).isFalse();
        refused.close();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void aSamplerThatRanBeforeGoesOn() {
        HeapSampler.start();
        watch.begin();
        watch.close();

        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }
}
