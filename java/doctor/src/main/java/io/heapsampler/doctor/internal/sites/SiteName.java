// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The class and the stack of a site, which are the same in different snapshots. Its methods are
 * written out: those that a record has by default are linked at their first call, which fails when
 * metaspace is full.
 */
record SiteName(String className, List<HeapFrame> stack) {
    static SiteName of(HeapSite site) {
        return new SiteName(site.className(), site.stack());
    }

    /** The same, which does not hold the snapshot that it comes from. */
    SiteName alone() {
        return new SiteName(className, List.copyOf(stack));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SiteName that
                && className.equals(that.className)
                && stack.equals(that.stack);
    }

    @Override
    public int hashCode() {
        return 31 * className.hashCode() + stack.hashCode();
    }
}
