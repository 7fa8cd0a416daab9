// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

/** Goes down by recursion and allocates on its way up. */
public interface Diver {

    /**
     * Goes down.
     *
     * @param depth calls to make
     * @param way one bit per call: which of its call sites to take
     * @param bottom what to do at the bottom
     */
    Object dive(int depth, long way, Runnable bottom) throws Throwable;

    /** Loads a class that makes the code compiled so far wrong; each number works once. */
    void load(int number);
}
