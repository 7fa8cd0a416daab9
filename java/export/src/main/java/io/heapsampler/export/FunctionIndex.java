// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers frames, and names that stand in the place of a frame, in the order in which they are met.
 * The allocated class is the leaf of each stack.
 */
final class FunctionIndex {

    /**
     * An entry.
     *
     * @param frame null where it is a name only
     */
    record Entry(String name, @Nullable StackFrame frame) {}

    private final Numbers<Object> numbers = new Numbers<>();
    private final List<Entry> entries = new ArrayList<>();

    /** The numbers of a site from the leaf, which is its class, to the root. */
    int[] stackOf(SiteRow row) {
        List<StackFrame> stack = row.stack();
        String ending = row.endingUnderClass();
        int[] result = new int[1 + stack.size() + (ending == null ? 0 : 1)];
        result[0] = numberOf(row.className(), row.className(), null);
        for (int i = 0; i < stack.size(); i++) {
            StackFrame frame = stack.get(i);
            result[i + 1] = numberOf(frame, FrameNames.function(frame), frame);
        }
        if (ending != null) {
            result[result.length - 1] = numberOf(ending, ending, null);
        }
        return result;
    }

    private int numberOf(Object key, String name, @Nullable StackFrame frame) {
        int known = numbers.of(key);
        if (known == Numbers.NONE) {
            known = entries.size();
            numbers.put(key, known);
            entries.add(new Entry(name, frame));
        }
        return known;
    }

    List<Entry> all() {
        return entries;
    }
}
