// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/** Samples nothing. */
final class NoTool implements Tool {

    @Override
    public void start(int interval) {}

    @Override
    public void stop() {}

    @Override
    public long samples() {
        return 0;
    }
}
