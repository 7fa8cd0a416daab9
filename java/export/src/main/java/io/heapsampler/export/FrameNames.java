// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;

/** How frames are called in formats that know functions only. */
final class FrameNames {

    /** In the place of a stack that the JVM did not give, or that had no room. */
    static final String NO_STACK = "(no stack)";

    /** In the place of the frames beyond the maximum depth, at the far end of the stack. */
    static final String TRUNCATED = "(truncated)";

    private FrameNames() {}

    /** Such as {@code java.util.HashMap.put}. */
    static String function(HeapFrame frame) {
        return frame.className() + "." + frame.methodName();
    }
}
