// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import picocli.CommandLine.Option;

/** How much of a ranking is printed. */
final class Ranking {

    @Option(
            names = {"-n", "--count"},
            description = "How many to print; ${DEFAULT-VALUE} if not given.")
    private int count = 20;

    @Option(
            names = {"-d", "--depth"},
            description = "How many frames of each site; ${DEFAULT-VALUE} if not given.")
    private int depth = 5;

    int count() {
        return Math.max(count, 0);
    }

    int depth() {
        return Math.max(depth, 0);
    }
}
