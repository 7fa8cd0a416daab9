// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on some sites of a snapshot, whose figures are added up.
 *
 * <pre>{@code
 * assertThat(snapshot).sitesOf(byte[].class).allocatesAtMost("1 MB").sites().hasSizeLessThan(10);
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class HeapSitesAssert extends AbstractHeapFiguresAssert<HeapSitesAssert, HeapSites> {

    /** Made by {@link HeapSnapshotAssert}; null fails each assertion. */
    public HeapSitesAssert(@Nullable HeapSites actual) {
        super(actual, HeapSitesAssert.class, Scope.NONE);
    }

    @Override
    NamedFigures figures() {
        return NamedFigures.sum(actual.name(), actual.sites());
    }

    @Override
    NamedFigures unplaced() {
        return NamedFigures.sum("", actual.unplaced());
    }

    @Override
    List<HeapSite> shownSites() {
        return actual.sites();
    }

    /** {@return assertions on the sites one by one, most allocated bytes first} */
    @CheckReturnValue
    public HeapSiteListAssert sites() {
        return HeapSiteListAssert.from(this, isThere() ? actual.sites() : List.of(), "one by one");
    }
}
