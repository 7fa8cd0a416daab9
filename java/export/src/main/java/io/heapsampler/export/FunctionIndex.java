// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers frames, and names that take the place of a frame, in the order in which they are met. The
 * allocated class is the leaf of each stack.
 */
final class FunctionIndex {

    /**
     * An entry.
     *
     * @param frame null where it is a name only
     */
    record Entry(String name, @Nullable HeapFrame frame) {}

    private final Numbers<Object> numbers = new Numbers<>();
    private final List<Entry> entries = new ArrayList<>();

    /** The numbers of a site from the leaf, which is its class, to the root. */
    int[] stackOf(SiteRow row) {
        List<HeapFrame> stack = row.stack();
        String ending = row.endingUnderClass();
        int[] result = new int[1 + stack.size() + (ending == null ? 0 : 1)];
        result[0] = numberOf(row.className());
        for (int i = 0; i < stack.size(); i++) {
            result[i + 1] = numberOf(stack.get(i));
        }
        if (ending != null) {
            result[result.length - 1] = numberOf(ending);
        }
        return result;
    }

    private int numberOf(String name) {
        int next = entries.size();
        int number = numbers.of(name, next);
        if (number == next) {
            entries.add(new Entry(name, null));
        }
        return number;
    }

    private int numberOf(HeapFrame frame) {
        int next = entries.size();
        int number = numbers.of(frame, next);
        if (number == next) {
            entries.add(new Entry(FrameNames.function(frame), frame));
        }
        return number;
    }

    List<Entry> all() {
        return entries;
    }
}
