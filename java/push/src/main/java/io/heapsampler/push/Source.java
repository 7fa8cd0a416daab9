// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;

/** The sampler, or in tests something that fails. */
interface Source {

    SamplerState state();

    HeapSnapshot snapshot();

    /** The process-wide sampler. */
    Source PROCESS =
            new Source() {
                @Override
                public SamplerState state() {
                    return HeapSampler.status().state();
                }

                @Override
                public HeapSnapshot snapshot() {
                    return HeapSampler.snapshot();
                }
            };
}
