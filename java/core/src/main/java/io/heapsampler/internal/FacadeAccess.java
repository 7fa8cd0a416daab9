// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.shared.SampleCost;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets the package {@code io.heapsampler.internal.shared} into the facade without an API. Each
 * class of the facade opens up for its own instances when it is initialised, so it is open whenever
 * there is one.
 */
public final class FacadeAccess {

    /** The recordings of the facade; see {@link Engine}. */
    public interface Recordings {

        /** Returns the number of a full collection that the caller is about to have made. */
        int expectCollection(HeapRecording recording);

        /** Takes a snapshot after a collection, with the reach of its objects if there is time. */
        HeapSnapshot snapshot(HeapRecording recording, int after, long pauseMicros);

        /**
         * Searches the references that hold objects which need not be samples.
         *
         * @param watched the objects; a place in the answer is the place here
         * @param options whose selection does not count
         */
        HeldPaths pathsTo(WeakReference<?>[] watched, HeldByOptions options);

        /** Returns the status of the engine, with the state and interval of this recording. */
        SamplerStatus status(HeapRecording recording);
    }

    private static volatile @Nullable Function<HeapRecording, Recordings> recordings;
    private static volatile @Nullable ToIntFunction<HeapSample> reach;

    private static volatile @Nullable Predicate<HeapSnapshot> isOfThisProcess;

    private static volatile @Nullable BiFunction<HeldByOptions, Set<HeldBy.Way>, HeldByOptions>
            ways;

    private FacadeAccess() {}

    /** For {@link HeapRecording}. */
    public static void openRecordings(Function<HeapRecording, Recordings> ofFacade) {
        recordings = ofFacade;
    }

    /** For {@link HeapSample}: the number of its reach. */
    public static void openSamples(ToIntFunction<HeapSample> ofSamples) {
        reach = ofSamples;
    }

    /** For {@link HeapSnapshot}: whether its objects are in this heap. */
    public static void openSnapshots(Predicate<HeapSnapshot> ofSnapshots) {
        isOfThisProcess = ofSnapshots;
    }

    /** For {@link HeldByOptions}: options for some ways only. */
    public static void openOptions(
            BiFunction<HeldByOptions, Set<HeldBy.Way>, HeldByOptions> ofOptions) {
        ways = ofOptions;
    }

    /** Returns the recordings of the facade to which this one belongs. */
    public static Recordings of(HeapRecording recording) {
        Objects.requireNonNull(recording, "recording");
        return Objects.requireNonNull(recordings).apply(recording);
    }

    /** Returns the number of the reach of a sample. */
    public static int reach(HeapSample sample) {
        Objects.requireNonNull(sample, "sample");
        return Objects.requireNonNull(reach).applyAsInt(sample);
    }

    /** Returns whether a snapshot was taken in this process, and was not read from a file. */
    public static boolean isOfThisProcess(HeapSnapshot snapshot) {
        Objects.requireNonNull(snapshot, "snapshot");
        return Objects.requireNonNull(isOfThisProcess).test(snapshot);
    }

    /**
     * Returns the class loaders of this process, each once; some may have died since the last
     * collection.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if the library cannot be loaded, or
     *     the JVM refuses
     */
    public static ClassLoader[] classLoaders() {
        long[] result = new long[1];
        return inside(() -> checked(NativeBindings.classLoaders(result), result, "list"));
    }

    /** Returns the classes that a loader has defined, and others that it has only found. */
    public static Class<?>[] classesOf(ClassLoader loader) {
        long[] result = new long[1];
        return inside(() -> checked(NativeBindings.classesOf(loader, result), result, "look into"));
    }

    private static <T> T inside(Supplier<T> work) {
        NativeLibrary.ensureLoaded();
        NativeBindings.facade(1);
        try {
            return work.get();
        } finally {
            NativeBindings.facade(-1);
        }
    }

    private static <T> T checked(@Nullable T found, long[] result, String action) {
        NativeStatus.check(result[0], action + " the class loaders of this JVM");
        return Objects.requireNonNull(found);
    }

    /** Returns options for a search that walks the heap by one of these ways, or not at all. */
    public static HeldByOptions by(Set<HeldBy.Way> allowed, HeldByOptions options) {
        Objects.requireNonNull(options, "options");
        return Objects.requireNonNull(ways).apply(options, allowed);
    }

    /** Returns the processor time of the measured samples, and their number. */
    public static SampleCost sampleCost() {
        boolean isLoaded = NativeLibrary.loaded() != null;
        long[] figures = isLoaded ? NativeBindings.status() : new long[10];
        return new SampleCost(figures[8], figures[9]);
    }

    /** Makes soft references look unused. Returns whether that could be done. */
    public static boolean ageSoftReferences() {
        return NativeLibrary.loaded() != null && NativeBindings.ageSoftReferences() == 0;
    }
}
