// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the engine is doing, whoever has asked for it: this facade, an agent, or a copy of these
 * classes in another class loader.
 *
 * @param recordings how many are open
 * @param handle of the process-wide sampler; 0 if it has no data
 * @param isRunning whether the process-wide sampler takes samples
 * @param interval of the process-wide sampler in bytes
 * @param sinceMicros since when it takes samples, in µs since 1970; 0 if it does not
 * @param strategy ordinal of {@link io.heapsampler.Strategy.Kind}
 * @param amount allocations or microseconds
 * @param limits the limits in force; as long as no recording is open, they can change
 * @param terms the number of the strategy and the limits; each change gives them another
 * @param reportOnOom the file for the report on out-of-memory; null if there will be none
 */
public record InForce(
        int recordings,
        int handle,
        boolean isRunning,
        int interval,
        long sinceMicros,
        int strategy,
        long amount,
        Limits limits,
        int terms,
        @Nullable Path reportOnOom) {

    /** Reads what {@link NativeBindings#inForce()} answers. */
    static InForce of(long[] values, @Nullable Path reportOnOom) {
        return new InForce(
                (int) values[0],
                (int) values[1],
                values[2] != 0,
                (int) values[3],
                values[4],
                (int) values[5],
                values[6],
                new Limits(
                        (int) values[7],
                        (int) values[8],
                        (int) values[9],
                        (int) values[10],
                        (int) values[11],
                        (int) values[12],
                        (int) values[13]),
                (int) values[14],
                reportOnOom);
    }
}
