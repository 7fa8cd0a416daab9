// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which code a stack belongs to. */
final class Places {

    private Places() {}

    /** Returns the index of the first frame outside the JDK and hidden classes, or -1. */
    static int placeIndex(List<HeapFrame> stack) {
        for (int i = 0; i < stack.size(); i++) {
            HeapFrame frame = stack.get(i);
            if (!frame.isHidden() && !LibraryCode.isOfJdk(frame.className())) {
                return i;
            }
        }
        return -1;
    }

    static @Nullable HeapFrame place(List<HeapFrame> stack) {
        int index = placeIndex(stack);
        return index < 0 ? null : stack.get(index);
    }

    /** Returns whether the site may be at any place, for its stack was lost or cut. */
    static boolean isLost(HeapSite site) {
        return site.stack().isEmpty() || (site.isTruncated() && place(site.stack()) == null);
    }

    static boolean isIn(HeapSite site, String packageName) {
        HeapFrame place = place(site.stack());
        return place != null && place.className().startsWith(packageName + ".");
    }

    static boolean isAt(HeapSite site, String className, String methodName) {
        HeapFrame place = place(site.stack());
        return place != null && isIn(place, className, methodName);
    }

    static boolean isUnder(HeapSite site, String className, String methodName) {
        return site.stack().stream().anyMatch(frame -> isIn(frame, className, methodName));
    }

    /** The body of a lambda belongs to the method that it is written in. */
    private static boolean isIn(HeapFrame frame, String className, String methodName) {
        String method = frame.methodName();
        return frame.className().equals(className)
                && (method.equals(methodName)
                        || method.matches("lambda\\$" + Pattern.quote(methodName) + "\\$\\d+"));
    }

    /**
     * Returns the Java name as snapshots have it.
     *
     * @throws IllegalArgumentException if no object has this class, or its name is not that of the
     *     snapshot
     */
    static String nameOf(Class<?> type) {
        if (type.isPrimitive()) {
            throw new IllegalArgumentException(
                    """
                    %s is a primitive type, of which there are no objects; did you mean \
                    %s[].class?\
                    """
                            .formatted(type, type));
        }
        if (type.isHidden()) {
            throw new IllegalArgumentException(
                    type.getName()
                            + " is a hidden class, which has another name in snapshots; give that"
                            + " name as a string, as in HeapSite.className()");
        }
        return type.getTypeName();
    }

    /** Checks the name of a package. */
    static String packageName(String name) {
        Texts.checked(name, "package name");
        if (name.endsWith("*") || name.endsWith(".") || name.contains(" ")) {
            throw new IllegalArgumentException(
                    """
                    "%s" is not the name of a package; write it as in "com.acme.cart", packages \
                    below it are included\
                    """
                            .formatted(name));
        }
        return name;
    }

    /** Checks the names of a method and of its class, and returns them as one. */
    static String method(String className, String methodName) {
        return Texts.cut(
                Texts.checked(className, "class name")
                        + "."
                        + Texts.checked(methodName, "method name"));
    }

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
            Texts.checked(className, "class name");
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
                    Texts.cut(Texts.checked(name, "name")),
                    Objects.requireNonNull(wanted, "wanted")::test,
                    site -> false);
        }
    }
}
