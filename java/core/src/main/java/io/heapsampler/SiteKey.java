// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What makes sites of different snapshots the same. */
record SiteKey(String className, List<StackFrame> stack, boolean truncated) {

    static SiteKey of(HeapSite site) {
        return new SiteKey(site.className(), site.stack(), site.isTruncated());
    }

    // Written out for the reason given in Limits: the generated ones keep our class loader alive.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SiteKey that
                && className.equals(that.className)
                && stack.equals(that.stack)
                && truncated == that.truncated;
    }

    @Override
    public int hashCode() {
        return 31 * className.hashCode() + stack.hashCode();
    }
}
