// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.doctor.internal.watch;

/**
 * The log of this module. It is looked up when there is something to say: before the application
 * has set up its logging, that would take the place of what it wants.
 */
final class Log {

    private Log() {}

    static System.Logger logger() {
        return System.getLogger("io.heapsampler.doctor");
    }
}
