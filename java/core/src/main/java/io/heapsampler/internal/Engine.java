// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.Strategy;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the facade needs of the native core. One implementation calls C, {@link NativeEngine}; tests
 * have another.
 *
 * <p>Every method but {@link #inside}, {@link #inForce}, {@link #prime} and {@link #status} throws
 * {@link io.heapsampler.HeapSamplingUnavailableException} or {@link IllegalStateException} when it
 * is refused, and has then changed nothing. It is an {@link OvertakenException} where somebody else
 * who uses the engine has been quicker.
 */
public interface Engine {

    /** Loads the library, if that has not been done. */
    void prepare();

    /** Runs work of the facade, whose own allocations are not to be sampled. */
    <T extends @Nullable Object> T inside(Supplier<T> work);

    /**
     * Sets the limits, and by what samples are chosen; only while no recording is open.
     *
     * @return the number of these terms, which hold until somebody sets others
     */
    int configure(Limits limits, Strategy strategy);

    /**
     * Has the top live sites written to a file when the JVM runs out of memory; null for no longer.
     */
    void reportOnOom(@Nullable Path file);

    /**
     * Opens a recording under these terms, and starts sampling for it.
     *
     * @return a handle above 0
     */
    int open(
            int terms,
            int interval,
            long[] threadIds,
            String[] classNames,
            String[] packageNames,
            long durationNanos);

    /**
     * Opens the recording of the process-wide sampler, of which there is one in the process, under
     * these terms.
     *
     * @return a handle above 0
     */
    int openOwn(int terms, int interval);

    /** Returns what the engine is doing; null if nobody has loaded it, and then loads nothing. */
    @Nullable InForce inForce();

    /** Accepts no more samples. */
    void pause(int handle);

    /** Accepts samples again. */
    void resume(int handle, int interval);

    /** Changes the interval. */
    void setInterval(int handle, int interval);

    /** Forgets the samples. */
    void reset(int handle);

    /** Ends a recording. */
    void close(int handle);

    /** Returns a snapshot block. */
    byte[] snapshot(int handle, boolean afterGc);

    /** Makes the interval in force hold for the calling thread at once. */
    void prime();

    /**
     * Returns the figures of {@link NativeBindings#status()}; empty if the library is not loaded.
     */
    long[] status();
}
