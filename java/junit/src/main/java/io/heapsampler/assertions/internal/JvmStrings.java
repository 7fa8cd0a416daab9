// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Strings that the JVM makes itself: names of classes, and the constants of a class, which are made
 * when an instruction first needs one, or all together when a method is compiled. So they appear
 * now and then, at a line that allocates nothing, and are no leak of the code there.
 */
final class JvmStrings {

    private static final Set<String> CLASSES = Set.of("java.lang.String", "byte[]");

    private final LeakLooks looks;
    private final HeapSnapshot snapshot;
    private @Nullable JvmShare share;

    JvmStrings(LeakLooks looks, HeapSnapshot snapshot) {
        this.looks = looks;
        this.snapshot = snapshot;
    }

    /** Are all live objects of a site such strings? */
    boolean areAt(@Nullable LeakSite site) {
        if (site == null || !CLASSES.contains(site.className())) {
            return false;
        }
        List<HeapSite> sites =
                snapshot.topByLive(Integer.MAX_VALUE).stream()
                        .filter(each -> Objects.equals(looks.place(each), site))
                        .toList();
        return !sites.isEmpty() && sites.stream().allMatch(this::isMadeByVm);
    }

    private boolean isMadeByVm(HeapSite site) {
        if (share == null) {
            share = JvmShare.of(snapshot);
        }
        return share.isMadeByVm(site);
    }
}
