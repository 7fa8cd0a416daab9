// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The state of the engine at a moment, set by this facade, an agent, or a copy of these classes in
 * another class loader. Immutable as long as no caller writes to the figures.
 *
 * @param recordings how many are open
 * @param handle of the process-wide sampler; 0 if it has no data
 * @param isRunning whether the process-wide sampler takes samples
 * @param interval of the process-wide sampler in bytes
 * @param sinceMicros since when it takes samples, in µs since 1970; 0 if it does not
 * @param strategy ordinal of {@link io.heapsampler.SamplingStrategy.Kind}
 * @param amount allocations or microseconds
 * @param limits the limits in force; as long as no recording is open, they can change
 * @param terms the number of the strategy and the limits; each change gives them another
 * @param hasRun whether the process-wide sampler was ever started
 * @param maxOverhead the share of the processor time that its sampling may take, in parts per
 *     million
 * @param overhead the share that it took lately, likewise; 0 while unknown
 * @param holders the names of the holders of the process-wide sampler, oldest first
 * @param figures the figures of {@link NativeBindings#status()}; empty without a library
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
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
        boolean hasRun,
        int maxOverhead,
        int overhead,
        List<String> holders,
        long[] figures) {

    /** The state where no library is loaded. */
    public static final InForce NOTHING =
            new InForce(
                    0,
                    0,
                    false,
                    0,
                    0,
                    0,
                    0,
                    new Limits(0, 0, 0, 0, 0, 0, 0),
                    0,
                    false,
                    Limits.DEFAULT_OVERHEAD,
                    0,
                    List.of(),
                    new long[0]);

    /** The number of holders that there can be: HS_MAX_HOLDS. */
    public static final int MAX_HOLDERS = 32;

    private static final int NAME_LONGS = 4;
    private static final int VALUES = 18;

    /**
     * Returns this state with a recording in place of the process-wide sampler. A recording has no
     * holders, and no budget applies to it.
     */
    public InForce forRecording(boolean isSampling, int bytes) {
        return new InForce(
                recordings,
                handle,
                isSampling,
                bytes,
                0,
                strategy,
                amount,
                limits,
                terms,
                true,
                maxOverhead,
                0,
                List.of(),
                figures);
    }

    /** Reads the answer of {@link NativeBindings#status()}. */
    static InForce of(long[] all) {
        int figures = all.length - VALUES - 1 - MAX_HOLDERS * NAME_LONGS;
        long[] values = Arrays.copyOfRange(all, figures, all.length);
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
                values[15] != 0,
                (int) values[16],
                (int) values[17],
                names(values),
                Arrays.copyOf(all, figures));
    }

    private static List<String> names(long[] values) {
        List<String> names = new ArrayList<>();
        ByteBuffer bytes = ByteBuffer.allocate(NAME_LONGS * Long.BYTES);
        bytes.order(ByteOrder.nativeOrder());
        for (int i = 0; i < values[VALUES]; i++) {
            bytes.asLongBuffer().put(values, VALUES + 1 + i * NAME_LONGS, NAME_LONGS);
            names.add(new String(bytes.array(), StandardCharsets.US_ASCII).trim());
        }
        return List.copyOf(names);
    }
}
