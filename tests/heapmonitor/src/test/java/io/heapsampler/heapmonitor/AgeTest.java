// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.samplesOf;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapAges;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.Reference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How old the living are, and how old the dead became: in time and in collections. */
@ExtendWith(CleanSampler.class)
@Tag("J5")
class AgeTest {

    private static final int COUNT = 30;

    /** For a wall clock that is being corrected. */
    private static final Duration TOLERANCE = Duration.ofMillis(50);

    private static final class Marker {}

    @BeforeEach
    void needsCollections() {
        Await.assumeCollections();
    }

    private static List<Object> hold() {
        List<Object> held = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            held.add(new Marker());
        }
        return held;
    }

    /** Begins after a collection that no sampler saw, and before any that one has seen. */
    private static HeapRecording recording() {
        System.gc();
        return Recordings.exact(Marker.class);
    }

    private static HeapSnapshot afterGc(HeapRecording recording) {
        return recording.snapshot(SnapshotOptions.afterGc());
    }

    private static void awaitDeaths(HeapRecording recording) throws Exception {
        Await.until(
                COUNT + " deaths",
                () -> siteOf(afterGc(recording), Marker.class).lifetimes().samples() == COUNT);
    }

    @Test
    void collectionsSurvivedGrowWithEachCollection() {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            int survived = 0;
            for (int round = 0; round < 3; round++) {
                HeapSnapshot snapshot = afterGc(recording);
                int least =
                        samplesOf(snapshot, Marker.class).stream()
                                .mapToInt(HeapSample::collectionsSurvived)
                                .min()
                                .orElseThrow();
                assertThat(least).isGreaterThan(survived);
                assertThat(snapshot.collections()).isGreaterThanOrEqualTo(least);
                survived = least;
            }
            Reference.reachabilityFence(held);
        }
    }

    @Test
    void youngerObjectsHaveSurvivedLess() {
        try (HeapRecording recording = recording()) {
            List<Object> old = hold();
            afterGc(recording);
            afterGc(recording);
            Instant between = Instant.now();
            Await.untilNanos(System.nanoTime() + 2_000_000);
            List<Object> young = hold();

            List<HeapSample> samples = new ArrayList<>(samplesOf(afterGc(recording), Marker.class));
            samples.sort((a, b) -> a.allocatedAt().compareTo(b.allocatedAt()));
            assertThat(samples).hasSize(2 * COUNT);
            HeapSample oldest = samples.get(0);
            HeapSample youngest = samples.get(samples.size() - 1);
            assertThat(youngest.collectionsSurvived()).isPositive();
            assertThat(oldest.collectionsSurvived())
                    .isGreaterThanOrEqualTo(youngest.collectionsSurvived() + 2);
            assertThat(oldest.allocatedAt()).isBefore(between.plus(TOLERANCE));
            Reference.reachabilityFence(old);
            Reference.reachabilityFence(young);
        }
    }

    @Test
    void agesOfTheLivingAreInTheHistogramOfTheirSite() {
        try (HeapRecording recording = recording()) {
            long before = System.nanoTime();
            List<Object> held = hold();
            long allocated = System.nanoTime();
            Await.untilNanos(allocated + 40_000_000);
            long asked = System.nanoTime();
            HeapSnapshot snapshot = afterGc(recording);
            long most = System.nanoTime() - before;

            HeapAges ages = siteOf(snapshot, Marker.class).ages();
            assertThat(ages.samples()).isEqualTo(COUNT);
            assertThat(ages.byTime().total()).isEqualTo(COUNT);
            assertThat(ages.byCollections().total()).isEqualTo(COUNT);
            assertThat(ages.byCollections().objects(0)).isZero();
            assertWithin(ages.byTime(), asked - allocated, most);
            Reference.reachabilityFence(held);
        }
    }

    /** All objects lie in buckets that meet a stretch of time, given in nanoseconds. */
    private static void assertWithin(HeapHistogram byTime, long least, long most) {
        for (int i = 0; i < byTime.buckets(); i++) {
            boolean meets =
                    byTime.upperBound(i) > least / 1_000_000 - 1
                            && byTime.lowerBound(i) <= most / 1_000_000 + 1;
            assertThat(meets || byTime.objects(i) == 0)
                    .as("bucket %d of %s for %d to %d ns", i, byTime, least, most)
                    .isTrue();
        }
    }

    @Test
    void lifetimesOfTheDeadAreInTheHistogramOfTheirSite() throws Exception {
        try (HeapRecording recording = recording()) {
            long before = System.nanoTime();
            List<Object> held = hold();
            long allocated = System.nanoTime();
            afterGc(recording);
            afterGc(recording);
            Await.untilNanos(allocated + 20_000_000);
            long looked = System.nanoTime();
            assertThat(siteOf(recording.snapshot(), Marker.class).lifetimes().samples()).isZero();
            long dropped = System.nanoTime();
            held.clear();
            awaitDeaths(recording);
            long most = System.nanoTime() - before;

            HeapAges lifetimes = siteOf(recording.snapshot(), Marker.class).lifetimes();
            assertThat(lifetimes.byTime().total()).isEqualTo(COUNT);
            assertThat(lifetimes.byCollections().total()).isEqualTo(COUNT);
            assertThat(lifetimes.byCollections().objects(0)).isZero();
            assertThat(lifetimes.byCollections().objects(1)).isZero();
            // Half-way between when it was last seen and when it was found dead.
            assertWithin(lifetimes.byTime(), (looked + dropped) / 2 - allocated, most);
            assertThat(siteOf(recording.snapshot(), Marker.class).ages().samples()).isZero();
        }
    }

    @Test
    void deadSampleTellsBetweenWhichTimesItDied() throws Exception {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            Instant seen = Instant.now();
            afterGc(recording);
            held.clear();
            awaitDeaths(recording);

            List<HeapSample> dead = samplesOf(recording.snapshot(), Marker.class);
            assertThat(dead).hasSize(COUNT);
            for (HeapSample sample : dead) {
                assertThat(sample.liveness()).isEqualTo(Liveness.DEAD);
                assertThat(sample.stack().get(0).methodName()).isEqualTo("hold");
                assertThat(sample.lastSeenAliveAt())
                        .isAfterOrEqualTo(sample.allocatedAt())
                        .isAfter(seen.minus(TOLERANCE))
                        .isBeforeOrEqualTo(sample.foundDeadAt());
                assertThat(sample.foundDeadAt()).isBefore(Instant.now().plus(TOLERANCE));
            }
        }
    }
}
