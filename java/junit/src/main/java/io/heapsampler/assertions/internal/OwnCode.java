// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.LibraryCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which frames are those of the author's own code.
 *
 * @param patterns of classes, of which one must match; empty for all that belong to no library that
 *     is known here
 */
public record OwnCode(List<Pattern> patterns) {

    /** Nothing is configured. */
    public static final OwnCode DEFAULT = new OwnCode(List.of());

    /** Returns the frame nearest the leaf; null if there is none. */
    @Nullable StackTraceElement first(List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            if (includes(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    /** Returns whether a class belongs to the author's own code. */
    boolean includes(String className) {
        return patterns.isEmpty()
                ? LibraryCode.isOwn(className)
                : !LibraryCode.isGenerated(className)
                        && patterns.stream().anyMatch(pattern -> pattern.matches(className));
    }
}
