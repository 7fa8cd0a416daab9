// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on the figures of a class, a thread, or any other part of a snapshot.
 *
 * <pre>{@code
 * assertThat(snapshot).classTotals("byte[]").leavesBehindAtMost("64 KB");
 * assertThat(snapshot).threadTotals("worker-1").allocatesAtMost("1 MB");
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class HeapFiguresAssert extends AbstractHeapFiguresAssert<HeapFiguresAssert, NamedFigures> {

    private NamedFigures unplaced = NamedFigures.sum("", List.of());
    private List<HeapSite> sites = List.of();

    /**
     * Made by {@link HeapSamplerAssertions#assertThat(io.heapsampler.HeapFigures)}; null fails each
     * assertion.
     */
    public HeapFiguresAssert(@Nullable NamedFigures actual) {
        super(actual, HeapFiguresAssert.class, Scope.NONE);
    }

    HeapFiguresAssert beside(NamedFigures others, List<HeapSite> shown) {
        unplaced = others;
        sites = shown;
        return this;
    }

    @Override
    NamedFigures figures() {
        return actual;
    }

    @Override
    NamedFigures unplaced() {
        return unplaced;
    }

    @Override
    List<HeapSite> shownSites() {
        return sites;
    }
}
