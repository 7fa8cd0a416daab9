// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.BlockSections;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.SnapshotDecoder;
import io.heapsampler.internal.holders.HeldAddition;
import io.heapsampler.internal.holders.HeldDecoder;
import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.holders.ThreadsOfRoots;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Searches the holders of live samples: chooses the samples, has the engine walk the heap, and
 * keeps the answer with the snapshot. One search runs at a time, also beside those of other copies
 * of these classes; snapshots and changes of the sampler go on meanwhile. Safe for use by many
 * threads.
 */
final class HolderSearch {

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final WeakReference<?>[] NOTHING_WATCHED = {};
    private static final int[] NONE = {};
    private static final long[] NO_FIGURES = {};

    private final Engine engine;
    private final ReentrantLock turn = new ReentrantLock(true);

    HolderSearch(Engine engine) {
        this.engine = engine;
    }

    /** Searches in a snapshot that is taken when it is the turn of this search. */
    HeldBy search(Supplier<HeapSnapshot> snapshot, HeldByOptions options) {
        long start = System.nanoTime();
        await(options);
        try {
            return engine.inside(() -> searchNow(snapshot.get(), options, start));
        } finally {
            turn.unlock();
        }
    }

    /**
     * Searches the references that hold other objects than samples. A selection does not count.
     *
     * @param watched the objects; a target's place in the answer is the place here
     */
    HeldPaths pathsTo(WeakReference<?>[] watched, HeldByOptions options) {
        long start = System.nanoTime();
        await(options);
        try {
            return engine.inside(() -> pathsNow(watched, options, start));
        } finally {
            turn.unlock();
        }
    }

    private HeldPaths pathsNow(WeakReference<?>[] watched, HeldByOptions options, long start) {
        Question question =
                limits -> engine.heldBy(NONE, NONE, NO_FIGURES, NO_FIGURES, watched, limits);
        byte[] block = watched.length == 0 ? HeldAddition.nothing() : ask(question, options, start);
        byte[] whole = new HeldAddition(0, "", ThreadsOfRoots.names(block)).after(block);
        return HeldDecoder.decode(whole, 0, whole.length, 0);
    }

    private void await(HeldByOptions options) {
        // An interrupt ends a wait, and not a search that need not wait.
        if (!turn.hasQueuedThreads() && turn.tryLock()) {
            return;
        }
        try {
            if (options.waitsForTurn()
                    && turn.tryLock(nanos(options.maxTime()), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
        throw Refusals.searching(options);
    }

    private HeldBy searchNow(HeapSnapshot snapshot, HeldByOptions options, long start) {
        if (snapshot.data().info(Info.BUDGET) == 0) {
            throw Refusals.untracked();
        }
        int[] matching = options.selection().of(snapshot);
        int[] chosen = chosen(matching, options.maxSamples(), new SplittableRandom());
        byte[] block =
                chosen.length == 0 ? HeldAddition.nothing() : ask(snapshot, chosen, options, start);
        HeldAddition addition =
                new HeldAddition(
                        matching.length,
                        options.selection().text(),
                        ThreadsOfRoots.names(snapshot.data(), block));
        byte[] whole =
                BlockSections.with(
                        snapshot.data().block(),
                        SnapshotDecoder.TAG_HELD,
                        1,
                        addition.after(block));
        HeapSnapshot with = HeapSnapshot.decode(whole, snapshot.search());
        return with.heldBy().orElseThrow();
    }

    private byte[] ask(HeapSnapshot snapshot, int[] chosen, HeldByOptions options, long start) {
        SampleColumns samples = snapshot.data().samples;
        int[] places = Arrays.stream(chosen).map(samples::place).toArray();
        long[] allocated = Arrays.stream(chosen).mapToLong(samples::allocatedMicros).toArray();
        long[] sizes = Arrays.stream(chosen).mapToLong(samples::size).toArray();
        return ask(
                limits -> engine.heldBy(chosen, places, allocated, sizes, NOTHING_WATCHED, limits),
                options,
                start);
    }

    /** A question to the engine, within limits; null while another search goes on. */
    private interface Question {
        byte @Nullable [] ask(long[] limits);
    }

    private static byte[] ask(Question question, HeldByOptions options, long start) {
        long most = nanos(options.maxTime());
        while (true) {
            long left = most - (System.nanoTime() - start);
            long[] limits = {
                nanos(options.maxPause()) / 1_000,
                Math.max(1, left / 1_000),
                options.maxMemory(),
                options.wayBits()
            };
            byte[] block = question.ask(limits);
            if (block != null) {
                return block;
            }
            // Another copy of these classes is searching, for which the lock means nothing.
            if (!options.waitsForTurn() || left <= 0) {
                throw Refusals.searching(options);
            }
            sleep(Math.min(left, POLL_NANOS));
        }
    }

    private static void sleep(long nanos) {
        LockSupport.parkNanos(nanos);
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted(null);
        }
    }

    private static IllegalStateException interrupted(@Nullable InterruptedException cause) {
        return new IllegalStateException(
                "The thread was interrupted while it waited for another search for holders. Search"
                        + " again.",
                cause);
    }

    /** Returns as many as allowed, each with the same chance, in ascending order. */
    static int[] chosen(int[] matching, int most, SplittableRandom random) {
        if (matching.length <= most) {
            return matching;
        }
        int[] shuffled = matching.clone();
        for (int i = 0; i < most; i++) {
            int other = i + random.nextInt(shuffled.length - i);
            int swapped = shuffled[i];
            shuffled[i] = shuffled[other];
            shuffled[other] = swapped;
        }
        int[] result = Arrays.copyOf(shuffled, most);
        Arrays.sort(result);
        return result;
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0
                ? Long.MAX_VALUE
                : duration.toNanos();
    }
}
