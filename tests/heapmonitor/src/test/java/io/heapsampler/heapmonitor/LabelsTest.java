// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.samplesOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.DropCause;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.LabelTotals;
import io.heapsampler.Liveness;
import io.heapsampler.Note;
import io.heapsampler.SampleFilter;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Labels of threads, and the samples that get them. */
@ExtendWith(CleanSampler.class)
@SuppressWarnings("try") // a scope need not be named in its block
class LabelsTest {

    private static final HeapLabels ORDERS = HeapLabels.of("endpoint", "GET /orders");
    private static final HeapLabels CARTS = HeapLabels.of("endpoint", "GET /carts");

    private static final class Marker {}

    private static final class Unlabelled {}

    private static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            Work.sink = new Marker();
        }
    }

    /** Returns how many objects each value of the endpoint has allocated. */
    private static Map<String, Long> endpoints(HeapSnapshot snapshot) {
        Map<String, Long> counts = new TreeMap<>();
        for (LabelTotals totals : snapshot.labels("endpoint")) {
            counts.put(totals.value(), Math.round(totals.allocated().objects().value()));
        }
        return counts;
    }

    @Test
    void samplesGetTheLabelsInForce() {
        HeapSnapshot snapshot =
                Recordings.during(
                        () -> {
                            allocate(1);
                            try (HeapLabels.Scope outer = ORDERS.open()) {
                                allocate(2);
                                try (HeapLabels.Scope inner = CARTS.and("tenant", "acme").open()) {
                                    allocate(4);
                                }
                                allocate(8);
                            }
                            allocate(16);
                        },
                        Marker.class);

        assertThat(endpoints(snapshot))
                .isEqualTo(Map.of("(none)", 17L, "GET /orders", 10L, "GET /carts", 4L));
        assertThat(snapshot.labelKeys()).containsExactly("endpoint", "tenant");
        assertThat(snapshot.sites()).hasSize(5);
        assertThat(snapshot.samples())
                .filteredOn(sample -> sample.labels().size() == 2)
                .hasSize(4)
                .extracting(HeapSample::labels)
                .containsOnly(Map.of("endpoint", "GET /carts", "tenant", "acme"));
        assertThat(snapshot.dropped().get(DropCause.LABELS_FULL)).isZero();
    }

    @Test
    void oneSiteIsOneSiteUnderAllLabels() {
        HeapSnapshot snapshot =
                Recordings.during(
                        () -> {
                            for (int i = 0; i < 6; i++) {
                                HeapLabels.of("n", "of " + i % 3).run(() -> allocate(5));
                            }
                        },
                        Marker.class);

        HeapSite site = Recordings.siteOf(snapshot, Marker.class);
        assertThat(site.allocated().samples()).isEqualTo(30);
        assertThat(site.labels("n"))
                .hasSize(3)
                .allMatch(totals -> totals.allocated().samples() == 10);
        assertThat(site.samples()).hasSize(30);
        HeapSnapshot one = snapshot.filter(SampleFilter.label("n", "of 1"));
        assertThat(Recordings.siteOf(one, Marker.class).allocated().samples()).isEqualTo(10);
        assertThat(Recordings.siteOf(one, Marker.class).stack()).isEqualTo(site.stack());
    }

    @Test
    void anExceptionEndsTheScope() {
        HeapSnapshot snapshot =
                Recordings.during(
                        () -> {
                            assertThatThrownBy(
                                            () ->
                                                    ORDERS.run(
                                                            () -> {
                                                                allocate(3);
                                                                throw new IllegalStateException();
                                                            }))
                                    .isInstanceOf(IllegalStateException.class);
                            allocate(4);
                        },
                        Marker.class);

        assertThat(endpoints(snapshot)).isEqualTo(Map.of("(none)", 4L, "GET /orders", 3L));
    }

    @Test
    void aScopeThatAnotherThreadClosesStaysOpen() {
        HeapSnapshot snapshot =
                Recordings.during(
                        () -> {
                            HeapLabels.Scope scope = ORDERS.open();
                            assertThatThrownBy(
                                            () -> CompletableFuture.runAsync(scope::close).join())
                                    .hasCauseInstanceOf(IllegalStateException.class);
                            allocate(3);
                            HeapLabels.Scope inner = CARTS.open();
                            scope.close();
                            allocate(4);
                            inner.close();
                            allocate(5);
                        },
                        Marker.class);

        assertThat(endpoints(snapshot)).isEqualTo(Map.of("(none)", 9L, "GET /orders", 3L));
    }

    @Test
    void threadsOfAPoolHaveTheLabelsOfTheirTasksOnly() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            for (int i = 0; i < 4; i++) {
                pool.submit(Work::passOldSamplePoint).get();
            }
            List<CompletableFuture<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                HeapLabels labels = i % 2 == 0 ? ORDERS : CARTS;
                tasks.add(CompletableFuture.runAsync(() -> allocate(5), labels.wrap(pool)));
                tasks.add(CompletableFuture.runAsync(() -> allocate(1), pool));
            }
            for (CompletableFuture<Void> task : tasks) {
                task.get();
            }

            assertThat(endpoints(recording.snapshot()))
                    .isEqualTo(Map.of("(none)", 20L, "GET /orders", 50L, "GET /carts", 50L));
        } finally {
            pool.shutdown();
        }
    }

    private static void inNewThread(Runnable work) throws Exception {
        Thread thread = new Thread(work);
        thread.start();
        Await.end(thread);
    }

    @Test
    void threadsThatDieWithAnOpenScopeLeaveNothingToOthers() throws Exception {
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            AtomicReference<HeapLabels.Scope> open = new AtomicReference<>();
            for (int i = 0; i < 20; i++) {
                inNewThread(
                        () -> {
                            Work.passOldSamplePoint();
                            open.set(ORDERS.open());
                            allocate(2);
                        });
                inNewThread(
                        () -> {
                            Work.passOldSamplePoint();
                            allocate(3);
                        });
            }
            assertThat(endpoints(recording.snapshot()))
                    .isEqualTo(Map.of("(none)", 60L, "GET /orders", 40L));
        }
    }

    private static Thread startVirtual(String name, Runnable work) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Object named = type.getMethod("name", String.class).invoke(builder, name);
        return (Thread) type.getMethod("start", Runnable.class).invoke(named, work);
    }

    private static void allocateAndYield(HeapLabels labels) {
        Work.passOldSamplePoint();
        try (HeapLabels.Scope scope = labels.open()) {
            for (int i = 0; i < 10; i++) {
                allocate(1);
                Thread.yield();
            }
        }
        Work.sink = new Unlabelled();
    }

    /** A carrier may drop its first sample, because it may stem from before sampling began. */
    @Test
    void virtualThreadsKeepTheirLabelsOnEachCarrier() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
        int count = 50;
        HeapSnapshot snapshot;
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class, Unlabelled.class)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                HeapLabels labels = HeapLabels.of("endpoint", "E" + i % 5);
                threads.add(startVirtual("E" + i % 5, () -> allocateAndYield(labels)));
            }
            for (Thread thread : threads) {
                Await.end(thread);
            }
            snapshot = recording.snapshot();
        }

        assertThat(samplesOf(snapshot, Marker.class))
                .hasSizeLessThanOrEqualTo(10 * count)
                .allMatch(sample -> sample.threadName().equals(sample.labels().get("endpoint")));
        assertThat(samplesOf(snapshot, Unlabelled.class))
                .hasSizeLessThanOrEqualTo(count)
                .allMatch(sample -> sample.labels().isEmpty());
        assertThat(snapshot.samples().size() + snapshot.dropped().get(DropCause.PHANTOM))
                .isGreaterThanOrEqualTo(11 * count);
    }

    @Test
    void aCarrierHasNotTheLabelsOfItsVirtualThreads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            AtomicReference<HeapLabels.Scope> open = new AtomicReference<>();
            for (int i = 0; i < 20; i++) {
                Await.end(
                        startVirtual(
                                "open",
                                () -> {
                                    Work.passOldSamplePoint();
                                    open.set(ORDERS.open());
                                    allocate(2);
                                }));
                Await.end(
                        startVirtual(
                                "after",
                                () -> {
                                    Work.passOldSamplePoint();
                                    allocate(3);
                                }));
            }
            assertThat(endpoints(recording.snapshot()))
                    .isEqualTo(Map.of("(none)", 60L, "GET /orders", 40L));
        }
    }

    @Test
    void estimatesOfLabelsAddUpToTheTotalsAndAreRight() {
        int[] bytes = new int[3];
        HeapSnapshot snapshot;
        try (HeapRecording recording = Recordings.every(16 * 1024, byte[].class)) {
            for (int i = 0; i < 60_000; i++) {
                int which = i % 3;
                int size = 100 + ThreadLocalRandom.current().nextInt(2_000);
                HeapLabels labels = which == 0 ? ORDERS : CARTS;
                bytes[which] += (16 + size + 7) / 8 * 8;
                if (which == 2) {
                    Work.sink = new byte[size];
                } else {
                    try (HeapLabels.Scope scope = labels.open()) {
                        Work.sink = new byte[size];
                    }
                }
            }
            snapshot = recording.snapshot();
        }

        double sum = 0;
        long samples = 0;
        for (LabelTotals totals : snapshot.labels("endpoint")) {
            int which = totals.isNone() ? 2 : totals.value().equals("GET /orders") ? 0 : 1;
            double error = totals.allocated().bytes().standardError();
            assertThat(totals.allocated().bytes().value())
                    .as("six standard errors of %s", totals)
                    .isCloseTo(bytes[which], within(6 * error));
            sum += totals.allocated().bytes().value();
            samples += totals.allocated().samples();
        }
        double total = snapshot.totals().allocated().bytes().value();
        assertThat(sum).isCloseTo(total, within(1e-9 * total));
        assertThat(samples).isEqualTo(snapshot.totals().allocated().samples());
        assertThat(samples).isGreaterThan(1_000);
    }

    private static List<Object> hold(int count) {
        List<Object> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            held.add(new Marker());
        }
        return held;
    }

    @Test
    void liveObjectsAreKnownByLabelAfterACollection() throws Exception {
        Await.assumeCollections();
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            List<Object> orders = ORDERS.call(() -> hold(40));
            List<Object> carts = CARTS.call(() -> hold(30));
            CARTS.run(() -> allocate(50));
            Work.sink = null;
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());

            for (LabelTotals totals : snapshot.labels("endpoint")) {
                boolean isOrders = totals.value().equals("GET /orders");
                assertThat(totals.allocated().objects().value()).isEqualTo(isOrders ? 40 : 80);
                assertThat(totals.live().objects().value()).isEqualTo(isOrders ? 40 : 30);
                assertThat(totals.unconfirmed().objects().value()).isZero();
            }
            HeapSnapshot ofCarts = snapshot.filter(SampleFilter.label("endpoint", "GET /carts"));
            assertThat(ofCarts.totals().live().objects().value()).isEqualTo(30);
            assertThat(samplesOf(ofCarts, Marker.class))
                    .filteredOn(sample -> sample.liveness() == Liveness.DEAD)
                    .hasSize(50);
            assertThat(ofCarts.sites().stream().mapToLong(s -> s.lifetimes().samples()).sum())
                    .isEqualTo(50);
            Reference.reachabilityFence(orders);
            Reference.reachabilityFence(carts);
        }
    }

    private static List<Object> heldByCarts;

    /** A child process takes long where other programs are running. */
    private static HeldByOptions inOneStop(HeldByOptions options) {
        return options.maxPause(Duration.ofMinutes(1));
    }

    @Test
    void holdersOfALabelAreThoseOfItsObjects() throws Exception {
        Await.assumeCollections();
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            List<Object> orders = ORDERS.call(() -> hold(40));
            heldByCarts = CARTS.call(() -> hold(30));
            HeldBy held =
                    recording.heldBy(inOneStop(HeldByOptions.label("endpoint", "GET /carts")));

            assertThat(held.total().objects().value()).isEqualTo(30);
            assertThat(held.toText(20)).contains("heldByCarts");
            HeapSnapshot filtered =
                    held.snapshot().filter(SampleFilter.label("endpoint", "GET /carts"));
            assertThat(filtered.heldBy()).isEmpty();
            assertThat(filtered.heldBy(inOneStop(HeldByOptions.all())).total().objects().value())
                    .isEqualTo(30);
            Reference.reachabilityFence(orders);
        } finally {
            heldByCarts = null;
        }
    }

    @Test
    void labelsOpenedBeforeTheRecordingCount() {
        try (HeapLabels.Scope scope = ORDERS.open()) {
            HeapSnapshot snapshot = Recordings.during(() -> allocate(3), Marker.class);
            assertThat(endpoints(snapshot)).isEqualTo(Map.of("GET /orders", 3L));
        }
        HeapSnapshot snapshot = Recordings.during(() -> allocate(3), Marker.class);
        assertThat(snapshot.labelKeys()).isEmpty();
    }

    /** The dead sets of a test before may fill the table until a collection finds them. */
    private static void untilASetHasRoom(Runnable before) throws Exception {
        Await.until(
                "room for a set",
                () -> {
                    before.run();
                    System.gc();
                    HeapSnapshot snapshot =
                            Recordings.during(
                                    () -> HeapLabels.of("user", "late").run(() -> allocate(1)),
                                    Marker.class);
                    return snapshot.labels("user").get(0).value().equals("late");
                });
    }

    @Test
    void aHundredThousandValuesAreBoundedAndCounted() throws Exception {
        Await.assumeCollections(); // without them the next test would find the table full
        int values = 100_000;
        long memory = HeapSampler.status().memoryUsed();
        HeapSnapshot snapshot;
        List<HeapLabels> alive = new ArrayList<>();
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            for (int i = 0; i < values; i++) {
                HeapLabels labels = HeapLabels.of("user", "id-" + i);
                alive.add(labels);
                labels.run(() -> allocate(1));
            }
            snapshot = recording.snapshot();
            assertThat(HeapSampler.status().memoryUsed() - memory).isLessThan(64 << 20);
        }

        List<LabelTotals> users = snapshot.labels("user");
        assertThat(users).hasSizeLessThan(4_200);
        LabelTotals other = users.stream().filter(LabelTotals::isOther).findAny().orElseThrow();
        assertThat(other.allocated().samples()).isGreaterThan(values - 4_200);
        assertThat(users.stream().mapToLong(user -> user.allocated().samples()).sum())
                .isEqualTo(values);
        assertThat(snapshot.totals().allocated().samples()).isEqualTo(values);
        assertThat(snapshot.dropped().get(DropCause.LABELS_FULL))
                .isEqualTo(other.allocated().samples());
        assertThat(snapshot.notes())
                .filteredOn(note -> note.id().equals("labels-full"))
                .extracting(Note::text)
                .singleElement()
                .asString()
                .contains(" " + other.allocated().samples() + " times")
                .endsWith("ids do not belong into labels.");
        assertThat(Recordings.objectsOf(snapshot, Marker.class)).isEqualTo(values);
        alive.clear();
        untilASetHasRoom(() -> {});
    }

    @Test
    void setsThatAreNoLongerUsedMakeRoomForOthers() throws Exception {
        Await.assumeCollections();
        untilASetHasRoom(
                () -> {
                    for (int i = 0; i < 20_000; i++) {
                        HeapLabels.of("user", "passing-" + i).open().close();
                    }
                });
    }
}
