// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import java.util.List;

/**
 * Chooses sites by what is on their stacks, or is allocated: names of packages or classes. What the
 * agent itself allocates is never chosen.
 *
 * @param include one of these has to be there; empty for all
 * @param exclude none of these may be there
 */
record SiteFilter(List<String> include, List<String> exclude) {

    private static final List<String> OWN = List.of(SiteFilter.class.getPackageName());

    /** Returns whether a site is written. */
    boolean accepts(HeapSite site) {
        if (site.stack().stream().anyMatch(frame -> isIn(OWN, frame.className()))) {
            return false;
        }
        return (include.isEmpty() || isNamed(include, site)) && !isNamed(exclude, site);
    }

    private static boolean isNamed(List<String> names, HeapSite site) {
        if (names.isEmpty()) {
            return false;
        }
        if (isIn(names, site.className())) {
            return true;
        }
        for (HeapFrame frame : site.stack()) {
            if (isIn(names, frame.className())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a class is one of the names, nested in it, or in such a package. */
    private static boolean isIn(List<String> names, String className) {
        for (String name : names) {
            if (className.startsWith(name) && isEnd(className, name.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEnd(String className, int length) {
        return className.length() == length || ".$[".indexOf(className.charAt(length)) >= 0;
    }
}
