// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/** The empty callback or the minimal agent. */
final class NativeTool implements Tool {

    private final int work;

    NativeTool(int work) {
        this.work = work;
    }

    @Override
    public void start(int interval) {
        int error = NativeTools.start(work, interval);
        if (error != 0) {
            throw new IllegalStateException("the JVM refuses to sample: jvmtiError " + error);
        }
    }

    @Override
    public void stop() {
        NativeTools.stop();
    }

    @Override
    public long samples() {
        return NativeTools.samples();
    }

    @Override
    public long found() {
        return NativeTools.samples();
    }
}
