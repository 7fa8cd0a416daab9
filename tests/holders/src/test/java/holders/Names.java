// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.regex.Pattern;

/** Names of classes, as far as tests compare them. */
final class Names {

    private static final Pattern PACKAGES = Pattern.compile("\\b(?:[a-z]\\w*\\.)+(?=[\\w$])");
    private static final Pattern LAMBDA = Pattern.compile("(\\$\\$Lambda).*");
    private static final Pattern NUMBER_OF_PROXY = Pattern.compile("(\\$Proxy)\\d+");
    private static final Pattern NUMBER_OF_PACKAGE = Pattern.compile("^jdk\\.proxy\\d+\\.");
    private static final Pattern HIDDEN = Pattern.compile("[/.+]0x[0-9a-fA-F]+");

    private Names() {}

    /** Returns the name without its packages. */
    static String shortOf(String name) {
        return PACKAGES.matcher(name).replaceAll("");
    }

    /** Returns the name without what differs from run to run: numbers of lambdas and of proxies. */
    static String normal(String name) {
        String text = HIDDEN.matcher(name).replaceAll("");
        text = LAMBDA.matcher(text).replaceAll("$1");
        text = NUMBER_OF_PACKAGE.matcher(text).replaceAll("jdk.proxy.");
        return NUMBER_OF_PROXY.matcher(text).replaceAll("$1");
    }

    /** Returns the name of a class as it is in source. */
    static String of(Class<?> type) {
        return type.isArray() ? of(type.getComponentType()) + "[]" : normal(type.getName());
    }
}
