// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.heapsampler.DropCause;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.Note;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.ThreadTotals;
import java.lang.invoke.MethodHandles;
import java.lang.ref.Reference;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tables that are too small: what finds no room is counted by cause, and the totals stay right. */
@ExtendWith(CleanSampler.class)
@Tag("J11")
class OverflowTest {

    private static final int STACKS = 200;

    private static final class Marker {}

    private static final class Latecomer {}

    @AfterAll
    static void restoreLimits() {
        CleanSampler.restoreLimits();
    }

    /** Sets limits for the recordings that follow, which use those last in use. */
    private static void limit(SamplerOptions.Builder options) {
        HeapSampler.start(options.build());
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static void recurse(int depth) {
        if (depth > 0) {
            recurse(depth - 1);
        } else {
            Work.sink = new Marker();
        }
    }

    private static HeapSnapshot differentStacks() {
        return Recordings.during(
                () -> {
                    for (int depth = 0; depth < STACKS; depth++) {
                        recurse(depth % 90);
                        recurse(depth % 90);
                    }
                },
                Marker.class);
    }

    /** Tables that fill up are replaced, with shorter stacks, at some time or other. */
    private static void assertComplete(HeapSnapshot snapshot, DropCause cause, int objects) {
        assertThat(snapshot.sites()).noneMatch(HeapSite::isOther);
        assertThat(snapshot.dropped().get(cause) + snapshot.dropped().get(DropCause.STACKS_FULL))
                .isPositive();
        assertThat(snapshot.totals().allocated().objects().value()).isEqualTo(objects);
        assertThat(objects(snapshot.sites())).isEqualTo(objects);
        assertThat(snapshot.notes())
                .extracting(Note::text)
                .contains(
                        "A table was full, so some samples have a shorter stack, only a class, or"
                                + " the site \"(other)\"; raise maxStacks, maxNames or maxSites.");
    }

    private static double objects(List<HeapSite> sites) {
        return sites.stream().mapToDouble(s -> s.allocated().objects().value()).sum();
    }

    @Test
    void stacksThatFindNoRoomAreShortened() {
        limit(SamplerOptions.builder().maxStacks(16));

        HeapSnapshot snapshot = differentStacks();
        assertComplete(snapshot, DropCause.STACKS_FULL, 2 * STACKS);
        assertThat(Recordings.objectsOf(snapshot, Marker.class)).isEqualTo(2 * STACKS);
        assertThat(snapshot.sites())
                .hasSizeBetween(2, 16)
                .anyMatch(s -> s.isTruncated() && s.stack().size() <= 16)
                .filteredOn(s -> !s.stack().isEmpty())
                .allMatch(s -> s.stack().get(0).methodName().equals("recurse"));
        assertThat(HeapSampler.status().dropped()).containsKey(DropCause.STACKS_FULL);
    }

    @Test
    void sitesThatFindNoRoomKeepTheirClass() {
        limit(SamplerOptions.builder().maxSites(16));

        HeapSnapshot snapshot = differentStacks();
        assertComplete(snapshot, DropCause.SITES_FULL, 2 * STACKS);
        assertThat(Recordings.objectsOf(snapshot, Marker.class)).isEqualTo(2 * STACKS);
        assertThat(snapshot.sites()).hasSizeBetween(2, 16).anyMatch(HeapSite::isTruncated);
    }

    @Test
    void namesThatFindNoRoomCutTheStack() {
        limit(SamplerOptions.builder().maxNames(16));

        HeapSnapshot snapshot = Recordings.during(OverflowTest::manyTimes, Marker.class);
        assertComplete(snapshot, DropCause.NAMES_FULL, 2 * STACKS);
        assertThat(snapshot.sites())
                .allMatch(HeapSite::isTruncated)
                .anySatisfy(s -> assertThat(s.stack().get(0).methodName()).isEqualTo("recurse"));
    }

    // The filter needs the name of a class, and cannot be put off because there is no room for it.
    @Test
    void filterByClassWorksThoughNamesFindNoRoom() {
        limit(SamplerOptions.builder().maxNames(16));

        HeapSnapshot snapshot =
                Recordings.during(
                        () -> {
                            manyTimes();
                            for (int i = 0; i < 70; i++) {
                                Work.sink = new Latecomer();
                            }
                        },
                        Marker.class,
                        Latecomer.class);
        assertComplete(snapshot, DropCause.NAMES_FULL, 2 * STACKS + 70);
    }

    /** As servers do that start a thread for each request and give it a name of its own. */
    @Test
    void namesOfThreadsTakeNoRoomFromCode() throws InterruptedException {
        limit(SamplerOptions.builder().maxThreads(16).maxNames(512));
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class, Latecomer.class)) {
            for (int i = 0; i < 600; i++) {
                Thread thread = new Thread(() -> recurse(1), "t" + i);
                thread.start();
                Await.end(thread);
            }
            Work.sink = new Latecomer();

            assertNamed(recording.snapshot(), Latecomer.class);
        }
    }

    /** As lambdas, proxies and languages that compile to hidden classes do. */
    @Test
    void hiddenClassesOfOneSourceTakeNoRoomFromCode() throws Exception {
        limit(SamplerOptions.builder().maxNames(512));
        byte[] bytes = ClassBytes.of(Churned.class).bytes();
        try (HeapRecording recording = Recordings.ofAllThreads(0, Churned.class, Latecomer.class)) {
            for (int i = 0; i < 600; i++) {
                Class<?> hidden =
                        MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
                Work.sink = hidden.getMethod("allocate").invoke(null);
            }
            Work.sink = new Latecomer();

            assertNamed(recording.snapshot(), Latecomer.class);
        }
    }

    private static void assertNamed(HeapSnapshot snapshot, Class<?> type) {
        assertThat(snapshot.dropped()).containsEntry(DropCause.NAMES_FULL, 0L);
        HeapSite site = Recordings.siteOf(snapshot, type);
        assertThat(site.stack()).isNotEmpty();
        assertThat(site.isTruncated()).isFalse();
    }

    private static void manyTimes() {
        for (int i = 0; i < 2 * STACKS; i++) {
            recurse(30);
        }
    }

    @Test
    void threadsThatFindNoRoomFallIntoTheOtherThread() throws InterruptedException {
        limit(SamplerOptions.builder().maxThreads(16));
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            for (int i = 0; i < 40; i++) {
                Thread thread = new Thread(() -> recurse(1), "t" + i);
                thread.start();
                Await.end(thread);
            }
            HeapSnapshot snapshot = recording.snapshot();
            ThreadTotals other =
                    snapshot.threads().stream()
                            .filter(t -> t.threadId().isEmpty())
                            .findFirst()
                            .orElseThrow();

            assertThat(other.threadName()).isEqualTo("(other)");
            assertThat(snapshot.dropped().get(DropCause.THREADS_FULL))
                    .isPositive()
                    .isEqualTo(other.allocated().samples());
            assertThat(snapshot.threads().stream().mapToLong(t -> t.allocated().samples()).sum())
                    .isEqualTo(40);
            assertThat(snapshot.totals().allocated().objects().value()).isEqualTo(40);
        }
    }

    // 18,000 objects held, a budget of 4,096. At one in 4 there would be 4,500, 7 sigmas too many;
    // so one in 8 is tracked, 2,250, and the number alive is known to 2.0 %: 7 sigmas in 14 %, 5
    // at one in 16.
    // At one in 16, when 32 tries met none of the 45 % that may be displaced: 1 in 3 million.
    @Test
    @Tag("J23")
    void samplesBeyondTheBudgetAreThinnedAndTheOthersWeighMore() {
        Await.assumeCollections();
        HeapSnapshot snapshot = heldBeyondABudget(18_000, 4_096);

        assertThat(snapshot.totals().allocated().objects().value()).isEqualTo(18_000);
        assertThat(snapshot.totals().live().objects().value())
                .isCloseTo(18_000, withinPercentage(14));
        assertThat(snapshot.samples())
                .hasSizeLessThanOrEqualTo(4_096)
                .allSatisfy(s -> assertThat(s.weight()).isIn(8.0, 16.0));
        assertThat(snapshot.dropped().get(DropCause.THINNED)).isPositive();
        assertThat(snapshot.notes()).anyMatch(n -> n.id().equals("thinned"));
    }

    // Those that were tracked first and made room later as well.
    @Test
    @Tag("J23")
    void everySampleThatIsNotTrackedIsCounted() {
        HeapSnapshot snapshot = heldBeyondABudget(2_000, 100);

        assertThat(snapshot.dropped().get(DropCause.THINNED))
                .isEqualTo(2_000 - snapshot.samples().size());
    }

    private static HeapSnapshot heldBeyondABudget(int count, int budget) {
        limit(SamplerOptions.builder().maxTracked(budget));
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            Marker[] held = new Marker[count];
            for (int i = 0; i < count; i++) {
                held[i] = new Marker();
            }
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            assertThat(HeapSampler.status().thinning()).isPositive();
            assertThat(HeapSampler.status().tracked()).isLessThanOrEqualTo(budget);
            Reference.reachabilityFence(held);
            return snapshot;
        }
    }

    @Test
    void budgetOfNoneStillCountsAllocation() {
        limit(SamplerOptions.builder().maxTracked(0));

        HeapSnapshot snapshot = differentStacks();
        assertThat(snapshot.totals().allocated().objects().value()).isEqualTo(2 * STACKS);
        assertThat(snapshot.samples()).isEmpty();
        assertThat(snapshot.dropped().get(DropCause.THINNED)).isEqualTo(2 * STACKS);
    }

    @Test
    void deadBeyondTheRingAreForgottenButNotTheirLifetimes() throws Exception {
        Await.assumeCollections();
        limit(SamplerOptions.builder().maxDead(16));
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            for (int i = 0; i < 100; i++) {
                recurse(1);
            }
            Work.sink = null;
            Await.until(
                    "100 deaths",
                    () -> lifetimes(recording.snapshot(SnapshotOptions.afterGc())) == 100);

            HeapSnapshot snapshot = recording.snapshot();
            assertThat(snapshot.samples())
                    .hasSize(16)
                    .allSatisfy(s -> assertThat(s.liveness()).isEqualTo(Liveness.DEAD));
            assertThat(snapshot.dropped().get(DropCause.DEAD_FORGOTTEN)).isEqualTo(84);
            assertThat(snapshot.totals().allocated().objects().value()).isEqualTo(100);
        }
    }

    private static long lifetimes(HeapSnapshot snapshot) {
        List<HeapSite> sites = snapshot.sites();
        return sites.stream().mapToLong(s -> s.lifetimes().samples()).sum();
    }

    @Test
    @Tag("J25")
    void stackDeeperThanTheLimitIsCutAndSaysSo() {
        limit(SamplerOptions.builder().maxDepth(8));
        HeapSnapshot deep = Recordings.during(() -> recurse(50), Marker.class);

        HeapSite site = Recordings.siteOf(deep, Marker.class);
        assertThat(site.isTruncated()).isTrue();
        assertThat(site.stack())
                .hasSize(8)
                .allSatisfy(f -> assertThat(f.methodName()).isEqualTo("recurse"));
        assertThat(deep.dropped().get(DropCause.TRUNCATED)).isEqualTo(1);
        assertThat(deep.totals().allocated().objects().value()).isEqualTo(1);
        assertThat(HeapSampler.status().maxDepth()).isEqualTo(8);
    }

    @Test
    @Tag("J25")
    void recursionDeeperThanAnyLimitIsHarmless() {
        limit(SamplerOptions.builder().maxDepth(1024));

        HeapSite site =
                Recordings.siteOf(
                        Recordings.during(() -> recurse(3_000), Marker.class), Marker.class);
        assertThat(site.stack()).hasSize(1024);
        assertThat(site.isTruncated()).isTrue();
    }
}
