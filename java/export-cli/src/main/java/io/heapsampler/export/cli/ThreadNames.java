// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.export.ExportOptions;
import picocli.CommandLine.Option;

/** Whether the names of threads are written. */
final class ThreadNames {

    @Option(names = "--no-thread-names", description = "Leave out the names of threads.")
    private boolean areLeftOut;

    /** Returns options that are to be completed. */
    ExportOptions.Builder options() {
        ExportOptions.Builder builder = ExportOptions.builder();
        return areLeftOut ? builder.threadNames(name -> "") : builder;
    }
}
