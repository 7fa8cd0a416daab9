// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Refuses versions of JUnit that cannot read the annotations of this package. */
final class JUnitVersion {

    /** Is it 5.12 or later? This type came with it. */
    static final boolean IS_SUPPORTED =
            exists("org.junit.jupiter.api.parallel.ResourceLocksProvider");

    /** What to do if it is not. */
    static final String PROBLEM =
            "heapsampler-junit needs JUnit 5.12 or later, but this is JUnit "
                    + version()
                    + ". Raise its version in your build: with Spring Boot before 3.5, set the"
                    + " property junit-jupiter.version to 5.12.2 or later; else import a later"
                    + " org.junit:junit-bom.";

    private JUnitVersion() {}

    /**
     * Refuses a JUnit that is too old.
     *
     * @throws ExtensionConfigurationException with its version
     */
    static void requireSupported() {
        if (!IS_SUPPORTED) {
            throw new ExtensionConfigurationException(PROBLEM);
        }
    }

    private static boolean exists(String type) {
        try {
            Class.forName(type, false, Test.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static String version() {
        String version = Test.class.getPackage().getImplementationVersion();
        return version == null ? "5.11 or earlier" : version;
    }
}
