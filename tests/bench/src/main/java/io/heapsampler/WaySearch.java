// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.NativeEngine;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.support.HeldBlock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Searches holders by one way, which the engine may refuse and not replace, and keeps the figures
 * of the answer that the API does not show.
 */
public final class WaySearch {

    private static final int LIMITS = 5;
    private static final int ALLOWED_WAYS = 3;

    /**
     * What a search took.
     *
     * @param held the answer
     * @param pauses all pauses together, in µs
     * @param cpu the processor time of a child, in µs
     * @param bytes native memory at most
     * @param nodes of the graph
     * @param edges of the graph
     * @param targets the samples that were chosen
     */
    public record Found(
            HeldBy held,
            long pauses,
            long cpu,
            long bytes,
            long nodes,
            long edges,
            List<Target> targets) {

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

    /**
     * A sample.
     *
     * @param object what is the same for the same object in each snapshot
     * @param bytes that it stands for
     * @param outcome 0: its holders are known; else 1 more than the ordinal of {@link Unresolved}
     */
    public record Target(List<Long> object, double bytes, int outcome) {}

    private final Engine engine = new NativeEngine();
    private final List<Target> targets = new ArrayList<>();
    private final HeapSnapshot snapshot;
    private final long ways;
    private List<Long> figures = Collections.nCopies(7, 0L); // where no sample is alive

    private WaySearch(HeapSnapshot snapshot, long ways) {
        this.snapshot = snapshot;
        this.ways = ways;
    }

    /** Returns what is the same in each snapshot that has these live samples. */
    public static Set<List<Long>> objects(HeapSnapshot snapshot) {
        SampleColumns samples = snapshot.data().samples;
        Set<List<Long>> objects = new HashSet<>();
        for (int i = 0; i < snapshot.samples().size(); i++) {
            objects.add(object(samples, i));
        }
        return objects;
    }

    private static List<Long> object(SampleColumns samples, int i) {
        return List.of(samples.allocatedMicros(i), (long) samples.place(i), samples.size(i));
    }

    /**
     * Searches in a snapshot by that way; {@link HeldBy.Way#NONE} leaves the choice to the engine.
     */
    public static Found search(HeapSnapshot snapshot, HeldByOptions options, HeldBy.Way way) {
        return new WaySearch(snapshot, way == HeldBy.Way.NONE ? 0 : 1L << way.ordinal())
                .search(options);
    }

    private Found search(HeldByOptions options) {
        Engine limited =
                (Engine)
                        Proxy.newProxyInstance(
                                Engine.class.getClassLoader(),
                                new Class<?>[] {Engine.class},
                                (proxy, method, arguments) -> call(method, arguments));
        HeldBy held = new HolderSearch(limited).search(() -> snapshot, options);
        return new Found(
                held,
                figures.get(1),
                figures.get(3),
                figures.get(4),
                figures.get(5),
                figures.get(6),
                targets);
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

    private void read(byte[] bytes) {
        HeldBlock block = HeldBlock.read(ByteBuffer.wrap(bytes));
        figures = block.figures();
        SampleColumns samples = snapshot.data().samples;
        for (HeldBlock.Target each : block.targets()) {
            int place = each.place();
            double size = samples.size(place) / samples.chance(place);
            targets.add(new Target(object(samples, place), size, each.outcome()));
        }
    }
}
