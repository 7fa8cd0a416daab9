// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.NativeEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Searches holders by one way, which the engine may refuse and not replace, and keeps the figures
 * of the answer that the API does not show.
 */
public final class WaySearch {

    private static final int LIMITS = 5;
    private static final int ALLOWED_WAYS = 3;

    // native/doc/holders.md, "The block".
    private static final int FIRST_FIGURE = 16;
    private static final int FIGURES = 7;

    /**
     * What a search took.
     *
     * @param held the answer
     * @param pauses all pauses together, in µs
     * @param cpu the processor time of a child, in µs
     * @param bytes native memory at most
     * @param nodes of the graph
     * @param edges of the graph
     */
    public record Found(HeldBy held, long pauses, long cpu, long bytes, long nodes, long edges) {

        /** Returns the share of the chosen bytes whose holders are known. */
        public double share() {
            double unknown =
                    held.unresolved().values().stream()
                            .mapToDouble(amount -> amount.bytes().value())
                            .sum();
            double all = held.total().bytes().value();
            return all == 0 ? 0 : 1 - unknown / all;
        }
    }

    private final Engine engine = new NativeEngine();
    private final long ways;
    private long[] figures = new long[FIGURES];

    private WaySearch(long ways) {
        this.ways = ways;
    }

    /**
     * Searches in a snapshot by that way; {@link HeldBy.Way#NONE} leaves the choice to the engine.
     */
    public static Found search(HeapSnapshot snapshot, HeldByOptions options, HeldBy.Way way) {
        return new WaySearch(way == HeldBy.Way.NONE ? 0 : 1L << way.ordinal())
                .search(snapshot, options);
    }

    private Found search(HeapSnapshot snapshot, HeldByOptions options) {
        Engine limited =
                (Engine)
                        Proxy.newProxyInstance(
                                Engine.class.getClassLoader(),
                                new Class<?>[] {Engine.class},
                                (proxy, method, arguments) -> call(method, arguments));
        HeldBy held = new HolderSearch(limited).search(() -> snapshot, options);
        return new Found(held, figures[1], figures[3], figures[4], figures[5], figures[6]);
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        boolean isSearch = method.getName().equals("heldBy");
        if (isSearch) {
            ((long[]) arguments[LIMITS])[ALLOWED_WAYS] = ways;
        }
        try {
            Object result = method.invoke(engine, arguments);
            if (isSearch && result != null) {
                read((byte[]) result);
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void read(byte[] block) {
        ByteBuffer buffer = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < FIGURES; i++) {
            figures[i] = buffer.getLong(FIRST_FIGURE + i * Long.BYTES);
        }
    }
}
