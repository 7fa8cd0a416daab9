// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.acme.Allocations;
import io.heapsampler.HeapSampler;
import io.heapsampler.SnapshotOptions;

/** Stacks that differ, so that a text of all of them is larger than any buffer of a socket. */
final class ManySites {

    private static final int STACKS = 1000;
    private static final int DEPTH = 100;

    private static volatile byte[] last;

    private ManySites() {}

    static void sample() {
        FakeSource.sampled();
        for (int i = 0; i < STACKS; i++) {
            descend(DEPTH, i);
        }
        HeapSampler.snapshot(SnapshotOptions.afterGc());
    }

    private static void descend(int depth, int path) {
        if (depth == 0) {
            last = Allocations.bytes(256 * 1024);
        } else if ((path & 1) == 0) {
            descend(depth - 1, path >> 1);
        } else {
            descend(depth - 1, path >> 1);
        }
    }
}
