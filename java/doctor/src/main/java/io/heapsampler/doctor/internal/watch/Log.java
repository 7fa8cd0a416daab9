// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.doctor.internal.watch;

/**
 * The log of this module. It is looked up at the first message. An earlier lookup, before the
 * application has set up its logging, would prevent the application's configuration.
 */
final class Log {

    private Log() {}

    static System.Logger logger() {
        return System.getLogger("io.heapsampler.doctor");
    }
}
