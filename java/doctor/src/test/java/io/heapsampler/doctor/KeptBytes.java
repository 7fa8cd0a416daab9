// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapFrame;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Bytes of the figures and stacks of sites in a JVM with compressed references. Frames and strings
 * count once, however many stacks they are part of.
 */
final class KeptBytes {

    /** Nine estimates and two lists. */
    private static final int SITE_BYTES = 640;

    private final Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<>());
    private long sum;

    void add(String className, List<HeapFrame> stack) {
        sum += SITE_BYTES + 8L * stack.size();
        add(className);
        for (HeapFrame frame : stack) {
            if (known.add(frame)) {
                sum += 56;
                add(frame.className());
                add(frame.rawClassName());
                add(frame.methodName());
                add(frame.descriptor());
                String file = frame.fileName();
                add(file == null ? "" : file);
            }
        }
    }

    private void add(String text) {
        sum += known.add(text) ? 48 + text.length() : 0;
    }

    long sum() {
        return sum;
    }
}
