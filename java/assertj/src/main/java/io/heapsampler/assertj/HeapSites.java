// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.assertj.Places.SiteFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Some sites of a snapshot, whose figures are added up.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSites {

    static final Comparator<HeapSite> BY_ALLOCATED =
            Comparator.comparingDouble((HeapSite site) -> site.allocated().bytes().value())
                    .reversed()
                    .thenComparing(HeapSite::className);

    private final String name;
    private final List<HeapSite> sites;
    private final List<HeapSite> unplaced;

    private HeapSites(String name, List<HeapSite> sites, List<HeapSite> unplaced) {
        this.name = name;
        this.sites = sites;
        this.unplaced = unplaced;
    }

    /** Returns the sites that a filter selects of all. */
    static HeapSites select(List<HeapSite> all, SiteFilter filter) {
        List<HeapSite> sites = new ArrayList<>();
        List<HeapSite> unplaced = new ArrayList<>();
        for (HeapSite site : all) {
            if (filter.wanted().test(site)) {
                sites.add(site);
            } else if (filter.unknown().test(site)) {
                unplaced.add(site);
            }
        }
        sites.sort(BY_ALLOCATED);
        return new HeapSites(filter.name(), List.copyOf(sites), List.copyOf(unplaced));
    }

    static String nameOf(HeapSite site) {
        HeapFrame place = Places.place(site.stack());
        if (place == null && !site.stack().isEmpty()) {
            place = site.stack().get(0);
        }
        String of = "site of " + Texts.cut(site.className());
        return place == null ? of : of + " at " + Texts.cut(place.toString());
    }

    /** {@return the name of the selection, such as {@code sites of byte[]}} */
    public String name() {
        return name;
    }

    /** {@return the sites, most allocated bytes first; empty if no sample hit any; unmodifiable} */
    public List<HeapSite> sites() {
        return sites;
    }

    /** Sites that may belong here: class or stack was lost. */
    List<HeapSite> unplaced() {
        return unplaced;
    }

    @Override
    public String toString() {
        return name + ": " + sites;
    }
}
