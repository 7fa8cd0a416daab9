// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/** Checks that the Java runtime has the modules that a doctor needs. */
final class Runtimes {

    private static final String MANAGEMENT = "jdk.management";

    private Runtimes() {}

    /**
     * Refuses a runtime, such as one made by jlink, that cannot report collections.
     *
     * @throws UnsupportedOperationException if it cannot
     */
    static void requireManagement() {
        if (ModuleLayer.boot().findModule(MANAGEMENT).isEmpty()) {
            throw new UnsupportedOperationException(
                    "The GC doctor needs the module jdk.management, which this Java runtime lacks."
                            + " Add it to the runtime (jlink --add-modules jdk.management), or run"
                            + " without the doctor.");
        }
    }
}
