// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/** For Jazzer, see {@code tests/fuzz/run}: it looks for this method by its name. */
public final class BlockFuzzer {

    private BlockFuzzer() {}

    public static void fuzzerTestOneInput(byte[] block) {
        BlockReading.isRead(block);
    }
}
