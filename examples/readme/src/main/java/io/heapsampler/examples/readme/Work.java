// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import java.util.ArrayList;
import java.util.List;

/** Something to sample. */
final class Work {

    private static final List<byte[]> KEPT = new ArrayList<>();

    private Work() {}

    static void handleRequest() {
        for (int i = 0; i < 1_000; i++) {
            byte[] page = new byte[4096];
            if (i % 10 == 0) {
                KEPT.add(page);
            }
        }
    }

    static void serveForAWhile() {
        handleRequest();
    }
}
