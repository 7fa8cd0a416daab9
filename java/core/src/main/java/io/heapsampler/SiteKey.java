// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What makes sites of different snapshots the same, among keys that the same {@link SiteKeys} has
 * made. The hash code is that of all frames, and maps request it several times, so it is kept.
 */
final class SiteKey {

    private final HeapSite site;
    private final String className;
    private final int[] frames;
    private final int hash;

    /**
     * Makes a key.
     *
     * @param site the first that has this key
     * @param frames equal numbers for equal frames
     */
    SiteKey(HeapSite site, int[] frames) {
        this.site = site;
        this.className = site.className();
        this.frames = frames;
        this.hash = 31 * className.hashCode() + Arrays.hashCode(frames);
    }

    String className() {
        return className;
    }

    List<HeapFrame> stack() {
        return site.stack();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SiteKey that
                && hash == that.hash
                && site.isTruncated() == that.site.isTruncated()
                && className.equals(that.className)
                && Arrays.equals(frames, that.frames);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
