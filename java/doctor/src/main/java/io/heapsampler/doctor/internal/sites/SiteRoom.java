// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapFrame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Room for the figures and stacks of sites, in bytes of a JVM with compressed references. Frames
 * and strings count once, however many stacks they are part of. For one thread at a time.
 */
final class SiteRoom {

    /** Figures of a site: one of SiteMetrics has nine estimates, one of SiteLives two sums. */
    private static final int SITE_BYTES = 640;

    /** Lists: two of them have a stack, that of the name and that of the figures. */
    private static final int LIST_BYTES = 80;

    private static final int FRAME_REFERENCES = 2 * 4;
    private static final int FRAME_BYTES = 56;
    private static final int STRING_BYTES = 48;

    private final Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<>());
    private long most;
    private long taken;

    SiteRoom(long most) {
        this.most = most;
    }

    /** Makes it larger. */
    void extend(long bytes) {
        most += bytes;
    }

    long taken() {
        return taken;
    }

    /** Takes what a site needs; false, and nothing is taken, if there is no room for it. */
    boolean take(String className, List<HeapFrame> stack) {
        List<Object> added = new ArrayList<>();
        long bytes = SITE_BYTES + LIST_BYTES + (long) FRAME_REFERENCES * stack.size();
        bytes += text(className, added);
        for (HeapFrame frame : stack) {
            bytes += frame(frame, added);
        }
        if (taken + bytes > most) {
            added.forEach(known::remove);
            return false;
        }
        taken += bytes;
        return true;
    }

    private long frame(HeapFrame frame, List<Object> added) {
        if (!known.add(frame)) {
            return 0;
        }
        added.add(frame);
        String file = frame.fileName();
        return FRAME_BYTES
                + text(frame.className(), added)
                + text(frame.rawClassName(), added)
                + text(frame.methodName(), added)
                + text(frame.descriptor(), added)
                + (file == null ? 0 : text(file, added));
    }

    private long text(String text, List<Object> added) {
        if (!known.add(text)) {
            return 0;
        }
        added.add(text);
        boolean isLatin = true;
        for (int i = 0; isLatin && i < text.length(); i++) {
            isLatin = text.charAt(i) < 256;
        }
        return STRING_BYTES + (isLatin ? 1L : 2L) * text.length();
    }
}
