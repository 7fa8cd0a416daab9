// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What makes sites of different snapshots the same. The hash code is that of all frames, and maps
 * ask for it several times, so that it is kept.
 */
final class SiteKey {

    private final String className;
    private final List<StackFrame> stack;
    private final boolean truncated;
    private final int hash;

    private SiteKey(String className, List<StackFrame> stack, boolean truncated) {
        this.className = className;
        this.stack = stack;
        this.truncated = truncated;
        this.hash = 31 * className.hashCode() + stack.hashCode();
    }

    static SiteKey of(HeapSite site) {
        return new SiteKey(site.className(), site.stack(), site.isTruncated());
    }

    String className() {
        return className;
    }

    List<StackFrame> stack() {
        return stack;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SiteKey that
                && hash == that.hash
                && truncated == that.truncated
                && className.equals(that.className)
                && stack.equals(that.stack);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
