// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives every test the sampler stopped, empty and with its default interval and limits. */
final class CleanSampler implements BeforeEachCallback, AfterEachCallback {

    static final int DEFAULT_INTERVAL = 512 * 1024;

    @Override
    public void beforeEach(ExtensionContext context) {
        clean();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Work.sink = null;
        clean();
    }

    private static void clean() {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.setInterval(DEFAULT_INTERVAL);
    }

    /** For after a test that has set limits: those last in use would hold for the next. */
    static void restoreLimits() {
        clean();
        HeapSampler.start(SamplerOptions.builder().build());
        clean();
    }
}
