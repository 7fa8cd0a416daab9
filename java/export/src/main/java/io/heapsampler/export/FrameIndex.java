// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import java.util.ArrayList;
import java.util.List;

/** Numbers frames from 0, in the order in which they are met. */
final class FrameIndex {

    private final Numbers<HeapFrame> numbers = new Numbers<>();
    private final List<HeapFrame> frames = new ArrayList<>();

    int numberOf(HeapFrame frame) {
        int next = frames.size();
        int number = numbers.of(frame, next);
        if (number == next) {
            frames.add(frame);
        }
        return number;
    }

    List<HeapFrame> all() {
        return frames;
    }
}
