// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.HeapSite;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Which sites of a snapshot are meant.
 *
 * @param name for messages
 * @param wanted accepts the sites
 * @param unknown accepts sites that may be among them: their class or their stack was lost
 */
record SiteFilter(String name, Predicate<HeapSite> wanted, Predicate<HeapSite> unknown) {

    static SiteFilter all() {
        return new SiteFilter("", site -> true, site -> false);
    }

    /** Selects the sites of a class. */
    static SiteFilter ofClass(String className) {
        ByteAmount.checked(className, "class name");
        return new SiteFilter(
                "sites of " + Texts.cut(className),
                site -> site.className().equals(className),
                HeapSite::isOther);
    }

    /** Selects the sites whose place is in a package or below it. */
    static SiteFilter inPackage(String packageName) {
        Places.packageName(packageName);
        return new SiteFilter(
                "sites in " + Texts.cut(packageName),
                site -> Places.isIn(site, packageName),
                Places::isLost);
    }

    /** Selects the sites whose place is a method. */
    static SiteFilter at(String className, String methodName) {
        return new SiteFilter(
                "sites at " + Places.method(className, methodName),
                site -> Places.isAt(site, className, methodName),
                Places::isLost);
    }

    /** Selects the sites that have a method anywhere on the stack. */
    static SiteFilter under(String className, String methodName) {
        return new SiteFilter(
                "sites under " + Places.method(className, methodName),
                site -> Places.isUnder(site, className, methodName),
                site -> site.stack().isEmpty() || site.isTruncated());
    }

    static SiteFilter matching(Predicate<? super HeapSite> wanted, String name) {
        return new SiteFilter(
                Texts.cut(ByteAmount.checked(name, "name")),
                Objects.requireNonNull(wanted, "wanted")::test,
                site -> false);
    }
}
