// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Allowance;
import io.heapsampler.assertions.internal.Pattern;
import java.util.List;

/**
 * Allocations that an author lets stay alive. An {@link Allowance} knows whether a run needed it.
 *
 * @param where where it is written, for reports
 * @param reason why
 * @param frames of which one must match
 */
record Permission(String where, String reason, List<Pattern> frames) {

    /**
     * Reads one.
     *
     * @param name its name in messages
     * @throws IllegalArgumentException if the reason or the frames are missing, or one is no
     *     pattern
     */
    static Permission of(String name, String where, String reason, String... frames) {
        if (reason.isBlank() || frames.length == 0) {
            throw new IllegalArgumentException(
                    name
                            + " needs a reason and a frame: what may stay alive, and why is it no"
                            + " leak?");
        }
        return new Permission(where, reason, Pattern.all(frames));
    }

    /** Returns an account of its uses, empty as yet. */
    Allowance allowance() {
        return new Allowance(where, reason, frames);
    }
}
