// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.ThreadTotals;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** More code and more threads than the tables have room for, many times over. */
@ExtendWith(CleanSampler.class)
@Tag("once")
class RotationTest {

    private static final int DEPTH = 12;

    /** Of 75 new stacks each, and a new class. */
    private static final int ROUNDS = 12;

    private static final int THREADS = 150;

    private static final class Marker {}

    private static final class Held {}

    @AfterAll
    static void restoreLimits() {
        CleanSampler.restoreLimits();
    }

    private static void limit(SamplerOptions.Builder options) {
        HeapSampler.start(options.build());
        HeapSampler.stop();
        HeapSampler.reset();
    }

    /** The bits of a path say who calls whom: each path is a stack of its own. */
    private static Object left(int path, int depth) {
        return next(path, depth);
    }

    private static Object right(int path, int depth) {
        return next(path, depth);
    }

    private static Object next(int path, int depth) {
        if (depth == 0) {
            return path < 0 ? new Held() : new Marker();
        }
        return (path >> (depth - 1) & 1) == 0 ? left(path, depth - 1) : right(path, depth - 1);
    }

    private static HeapSite newest(HeapSnapshot snapshot, Class<?> type) {
        return snapshot.sites().stream()
                .filter(s -> s.className().equals(type.getName()))
                .filter(s -> !s.isTruncated())
                .findFirst()
                .orElse(null);
    }

    private static double objects(List<HeapSite> sites) {
        return sites.stream().mapToDouble(s -> s.allocated().objects().value()).sum();
    }

    // 900 stacks, where there is room for 256.
    @Test
    void newStacksAreWholeHoweverManyWereBefore() throws Exception {
        limit(SamplerOptions.builder().maxStacks(256).maxSites(1024).maxNames(4096));

        HeapSnapshot seen = runPastTheLimits();
        assertThat(seen.sites()).noneMatch(HeapSite::isOther);
        assertThat(Recordings.objectsOf(seen, Marker.class)).isEqualTo(75 * ROUNDS);
        assertThat(seen.dropped().get(DropCause.STACKS_FULL)).isPositive();
    }

    // Each class that a thread allocates takes a name; those long gone may find no room for theirs.
    @Test
    void newCodeIsNamedHoweverMuchWasBeforeIt() throws Exception {
        limit(SamplerOptions.builder().maxStacks(256).maxSites(256).maxNames(1024));

        HeapSnapshot seen = runPastTheLimits();
        double others = objects(seen.sites().stream().filter(HeapSite::isOther).toList());
        assertThat(Recordings.objectsOf(seen, Marker.class))
                .isBetween(75 * ROUNDS - others, 75.0 * ROUNDS);
        assertThat(seen.sites()).hasSizeLessThanOrEqualTo(257);
    }

    private static HeapSnapshot runPastTheLimits() throws Exception {
        ClassBytes source = ClassBytes.of(Churned.class);
        RecordingOptions options =
                RecordingOptions.builder()
                        .interval(0)
                        .thread(Thread.currentThread())
                        .className(Marker.class.getName())
                        .className(Held.class.getName())
                        .packageName("churned")
                        .build();
        try (HeapRecording recording = HeapSampler.record(options)) {
            List<Object> held = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                held.add(next(-1 - i, DEPTH));
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < 75; i++) {
                    Work.sink = next(75 * round + i, DEPTH);
                }
                Class<?> type = source.rename("churned.New" + round).load();
                Await.until(
                        type.getName() + " is named, with its stack",
                        () -> {
                            Work.sink = type.getMethod("allocate").invoke(null);
                            return newest(recording.snapshot(), type) != null;
                        });
            }
            HeapSnapshot seen = recording.snapshot();
            assertHeld(seen);
            assertThat(objects(seen.sites()))
                    .isEqualTo(seen.totals().allocated().objects().value());
            Reference.reachabilityFence(held);
            return seen;
        }
    }

    private static void assertHeld(HeapSnapshot seen) {
        assertThat(Recordings.objectsOf(seen, Held.class)).isEqualTo(20);
        assertThat(Recordings.sitesOf(seen, Held.class.getName()))
                .hasSize(20)
                .noneMatch(HeapSite::isTruncated)
                .allMatch(s -> s.stack().size() > DEPTH);
    }

    @Test
    void newThreadsAreNamedHoweverManyWereBefore() throws Exception {
        limit(SamplerOptions.builder().maxThreads(64));
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            for (int i = 0; i < THREADS; i++) {
                String name = "t" + i;
                Await.until(
                        name + " has a name",
                        () -> {
                            Thread thread = new Thread(() -> Work.sink = next(1, 2), name);
                            thread.start();
                            Await.end(thread);
                            return recording.snapshot().threads().stream()
                                    .map(ThreadTotals::threadName)
                                    .anyMatch(name::equals);
                        });
            }

            HeapSnapshot seen = recording.snapshot();
            assertThat(seen.threads().stream().mapToLong(t -> t.allocated().samples()).sum())
                    .isEqualTo((long) Recordings.objectsOf(seen, Marker.class))
                    .isGreaterThanOrEqualTo(THREADS);
            assertThat(seen.threads()).hasSizeLessThanOrEqualTo(65);
        }
    }
}
