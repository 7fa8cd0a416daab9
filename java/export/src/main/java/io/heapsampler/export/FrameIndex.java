// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers frames from 0, in the order in which they are met. */
final class FrameIndex {

    private final Map<StackFrame, Integer> numbers = new HashMap<>();
    private final List<StackFrame> frames = new ArrayList<>();

    int numberOf(StackFrame frame) {
        Integer number = numbers.putIfAbsent(frame, frames.size());
        if (number == null) {
            frames.add(frame);
            return frames.size() - 1;
        }
        return number;
    }

    List<StackFrame> all() {
        return frames;
    }
}
