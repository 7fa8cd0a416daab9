// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

/**
 * What {@link io.heapsampler.HeapLabels} needs of the native core. One implementation calls C,
 * {@link NativeLabels}; tests have another. No method throws or waits.
 *
 * <p>A <em>word</em> names a set that the engine knows, and a <em>state</em> is what a thread has
 * open: a word and how many scopes it is in.
 */
public interface LabelEngine {

    /** Names the set "(other)", which stands for all that found no room. */
    long OTHER = 1;

    /**
     * Returns whether there is an engine: if not, there is nothing to add or open. Allocates
     * nothing, and loads the library only where another copy of it is loaded in this process.
     */
    boolean isThere();

    /**
     * Adds a set. Each call adds one, even if there is an equal set.
     *
     * @param labels as {@link LabelText#bytes} has them
     * @return its word, above 0; below 0 if there is no room
     */
    long add(byte[] labels);

    /** Removes a set: threads that have it open have no labels from then on. */
    void remove(long word);

    /**
     * Opens a scope in the calling thread.
     *
     * @return the state before
     */
    long open(Thread current, boolean isVirtual, long word);

    /**
     * Closes a scope in the calling thread, and those that were opened in it. Does nothing if it
     * was closed already.
     *
     * @param previous what {@link #open} returned
     */
    void close(Thread current, boolean isVirtual, long previous);
}
