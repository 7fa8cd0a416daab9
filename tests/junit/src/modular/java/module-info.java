// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** A project with modules, as a user would write it: open to JUnit alone. */
module io.heapsampler.tests.modular {
    requires io.heapsampler.junit;
    requires org.junit.jupiter.api;
    requires org.junit.platform.launcher;

    opens io.heapsampler.tests.modular to
            org.junit.platform.commons;
}
