// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSite;
import io.heapsampler.assertj.AbstractHeapAssert.Scope;
import java.util.List;
import java.util.stream.StreamSupport;
import org.assertj.core.api.AbstractListAssert;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on a list of sites: those of AssertJ for lists, and {@link HeapSiteAssert} for {@code
 * first()}, {@code element(i)} and so on.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class HeapSiteListAssert
        extends AbstractListAssert<
                HeapSiteListAssert, List<? extends HeapSite>, HeapSite, HeapSiteAssert> {

    private Scope scope = Scope.NONE;

    /** Made by {@link HeapSnapshotAssert#sites()}; null fails each assertion. */
    public HeapSiteListAssert(@Nullable List<? extends HeapSite> actual) {
        super(actual, HeapSiteListAssert.class);
    }

    @SuppressWarnings("unchecked")
    static HeapSiteListAssert from(
            AbstractHeapAssert<?, ?> parent, List<HeapSite> sites, String what) {
        SoftAssertionsProvider softly = parent.scope().softly();
        HeapSiteListAssert list =
                softly == null
                        ? new HeapSiteListAssert(sites)
                        : softly.proxy(HeapSiteListAssert.class, List.class, sites);
        return parent.described(list.in(parent.scope()), what);
    }

    private HeapSiteListAssert in(Scope other) {
        scope = other;
        return this;
    }

    @Override
    protected HeapSiteAssert toAssert(HeapSite value, String description) {
        SoftAssertionsProvider softly = scope.softly();
        HeapSiteAssert site =
                softly == null
                        ? new HeapSiteAssert(value)
                        : softly.proxy(HeapSiteAssert.class, HeapSite.class, value);
        return site.in(scope).withRepresentation(info.representation()).as("%s", description);
    }

    @Override
    protected HeapSiteListAssert newAbstractIterableAssert(Iterable<? extends HeapSite> iterable) {
        List<HeapSite> sites =
                StreamSupport.stream(iterable.spliterator(), false)
                        .map(HeapSite.class::cast)
                        .toList();
        return new HeapSiteListAssert(sites).in(scope);
    }
}
