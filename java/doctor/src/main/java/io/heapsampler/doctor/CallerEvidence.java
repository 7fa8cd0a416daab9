// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.List;

/**
 * A place in the code that a finding names for what it calls, as Flight Recorder saw it.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param call what is called, such as {@code System.gc()}, or {@code ClassLoader.defineClass()}
 *     where metaspace had to make room for the class
 * @param stack the frames from the caller on, leaf first, as {@code Class.method:line}; at most 16
 * @param count how many of the calls that were seen came from there, in the last ten minutes
 */
public record CallerEvidence(String call, List<String> stack, long count) {
    /**
     * Copies the stack.
     *
     * @param call what is called
     * @param stack the frames
     * @param count how often
     */
    public CallerEvidence {
        stack = List.copyOf(stack);
    }
}
