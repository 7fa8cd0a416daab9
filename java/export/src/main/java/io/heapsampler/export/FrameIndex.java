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
        int known = numbers.of(frame);
        if (known == Numbers.NONE) {
            known = frames.size();
            numbers.put(frame, known);
            frames.add(frame);
        }
        return known;
    }

    List<StackFrame> all() {
        return frames;
    }
}
