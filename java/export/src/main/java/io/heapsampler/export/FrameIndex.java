// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.util.ArrayList;
import java.util.List;

/** Numbers frames from 0, in the order in which they are met. */
final class FrameIndex {

    private final Numbers<StackFrame> numbers = new Numbers<>();
    private final List<StackFrame> frames = new ArrayList<>();

    int numberOf(StackFrame frame) {
        int next = frames.size();
        int number = numbers.of(frame, next);
        if (number == next) {
            frames.add(frame);
        }
        return number;
    }

    List<StackFrame> all() {
        return frames;
    }
}
