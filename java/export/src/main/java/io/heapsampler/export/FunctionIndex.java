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
        int known = numbers.of(name);
        return known == Numbers.NONE ? add(name, new Entry(name, null)) : known;
    }

    private int numberOf(StackFrame frame) {
        int known = numbers.of(frame);
        return known == Numbers.NONE
                ? add(frame, new Entry(FrameNames.function(frame), frame))
                : known;
    }

    private int add(Object key, Entry entry) {
        int number = entries.size();
        numbers.put(key, number);
        entries.add(entry);
        return number;
    }

    List<Entry> all() {
        return entries;
    }
}
