// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;

/**
 * What a profile of pprof or OTLP says on the distance between samples. Go's heap profiles have
 * bytes; where allocations are counted, a period in bytes would say that each of them was a sample.
 *
 * @param type what is counted
 * @param unit of the value
 * @param value 1 or more
 */
record Period(String type, String unit, long value) {

    static Period of(HeapSnapshot snapshot) {
        SamplingStrategy strategy = snapshot.strategy();
        return strategy.kind() == SamplingStrategy.Kind.ALLOCATIONS
                ? new Period("objects", "count", Math.max(strategy.mean(), 1))
                : new Period("space", "bytes", Math.max(snapshot.interval(), 1));
    }
}
