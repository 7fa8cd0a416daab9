// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.NativeEngine;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.SnapshotData;
import io.heapsampler.internal.SnapshotDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Asks the engine which references hold the sampled things, and reads its block. */
final class HeldThings {

    static final int ONE_STOP = 1;
    static final int CHILD = 2;
    static final int PASSES = 3;

    private static final int WATCHED = 1 << 31;

    /** The class of the objects whose holders are read. */
    static final class Thing {
        final int number;

        Thing(int number) {
            this.number = number;
        }
    }

    /** A step of a path: kind and flags, the class and name of the field, what it leads to. */
    record Step(int kind, int flags, String declaring, String field, String to) {

        @Override
        public String toString() {
            String target = to.substring(to.lastIndexOf('.') + 1);
            return switch (kind) {
                case 0 -> target;
                case 1, 2 -> "." + field + " " + target;
                case 3 -> "[] " + target;
                default -> "#" + kind + " " + target;
            };
        }
    }

    /** What the block says of a target. */
    record Held(
            int place,
            int outcome,
            int root,
            String rootClass,
            String rootName,
            int slot,
            long thread,
            List<Step> steps) {

        boolean isWatched() {
            return (place & WATCHED) != 0;
        }

        /** The path in a line. */
        String text() {
            StringBuilder text = new StringBuilder();
            text.append(outcome).append(' ').append(root).append(' ');
            text.append(rootClass.substring(rootClass.lastIndexOf('.') + 1));
            text.append('.').append(rootName).append(':');
            for (Step step : steps) {
                text.append(step);
            }
            return text.toString();
        }
    }

    /** A block. */
    record Answer(
            int way,
            int flags,
            long[] figures,
            String reason,
            String failure,
            List<Held> targets) {}

    private HeldThings() {}

    /** Takes a snapshot of a recording and finds what holds its live objects. */
    static Answer ask(HeapRecording recording, int ways, WeakReference<?>... watched) {
        return ask(recording.snapshot(SnapshotOptions.afterGc()), ways, watched);
    }

    static Answer ask(HeapSnapshot snapshot, int ways, WeakReference<?>... watched) {
        return ask(snapshot, new long[] {60_000_000, 600_000_000, 1L << 30, 1L << ways}, watched);
    }

    static Answer ask(HeapSnapshot snapshot, long[] limits, WeakReference<?>... watched) {
        SampleColumns samples = decode(snapshot).samples;
        int count = samples.living;
        byte[] block =
                new NativeEngine()
                        .heldBy(
                                IntStream.range(0, count).toArray(),
                                IntStream.range(0, count).map(samples::place).toArray(),
                                IntStream.range(0, count)
                                        .mapToLong(samples::allocatedMicros)
                                        .toArray(),
                                IntStream.range(0, count).mapToLong(samples::size).toArray(),
                                watched,
                                limits);
        return block == null ? null : read(ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN));
    }

    private static SnapshotData decode(HeapSnapshot snapshot) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            snapshot.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return SnapshotDecoder.decode(out.toByteArray());
    }

    private static String text(ByteBuffer block) {
        byte[] bytes = new byte[block.getInt()];
        block.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Answer read(ByteBuffer block) {
        if (block.getInt() != ('H' | 'H' << 8 | 'L' << 16 | 'D' << 24) || block.getInt() != 1) {
            throw new IllegalArgumentException("no block of holders");
        }
        int way = block.getInt();
        int flags = block.getInt();
        long[] figures = new long[7];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = block.getLong();
        }
        String reason = text(block);
        String failure = text(block);
        String[] names = new String[block.getInt()];
        for (int i = 0; i < names.length; i++) {
            names[i] = text(block);
        }
        List<Held> targets = new ArrayList<>();
        int count = block.getInt();
        for (int i = 0; i < count; i++) {
            targets.add(readTarget(block, names));
        }
        if (block.hasRemaining()) {
            throw new IllegalArgumentException(block.remaining() + " bytes too many");
        }
        return new Answer(way, flags, figures, reason, failure, targets);
    }

    private static Held readTarget(ByteBuffer block, String[] names) {
        int place = block.getInt();
        int outcome = block.get();
        int root = block.get();
        int count = block.getShort();
        if (outcome != 0) {
            return new Held(place, outcome, root, "", "", 0, 0, List.of());
        }
        String rootClass = names[block.getInt()];
        String rootName = names[block.getInt()];
        int slot = block.getInt();
        long thread = block.getLong();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int kind = block.get();
            int flags = block.get();
            block.getShort();
            steps.add(
                    new Step(
                            kind,
                            flags,
                            names[block.getInt()],
                            names[block.getInt()],
                            names[block.getInt()]));
        }
        return new Held(place, outcome, root, rootClass, rootName, slot, thread, steps);
    }
}
