// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Allocation and leak assertions: {@code io.heapsampler.assertions} needs no test engine, {@code
 * io.heapsampler.junit} is the same as annotations of JUnit Jupiter, which is optional.
 */
@NullMarked
module io.heapsampler.junit {
    requires transitive io.heapsampler;
    requires transitive org.opentest4j;
    requires io.heapsampler.export;
    requires java.management;
    requires static jdk.management;
    requires static transitive org.junit.jupiter.api;
    requires static org.junit.platform.commons;
    requires static org.junit.platform.engine;
    requires static transitive org.junit.platform.launcher;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.assertions;
    exports io.heapsampler.junit;

    opens io.heapsampler.junit to
            org.junit.platform.commons;

    provides org.junit.platform.launcher.PostDiscoveryFilter with
            io.heapsampler.junit.RefusedClasses;
}
