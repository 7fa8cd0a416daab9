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
import io.heapsampler.support.HeldBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** Queries the engine which references hold the sampled things. */
final class HeldThings {

    static final int ONE_STOP = 1;
    static final int CHILD = 2;
    static final int PASSES = 3;

    /** The class of the objects whose holders are read. */
    static final class Thing {
        final int number;

        Thing(int number) {
            this.number = number;
        }
    }

    private HeldThings() {}

    /** Takes a snapshot of a recording and finds what holds its live objects. */
    static HeldBlock ask(HeapRecording recording, int ways, WeakReference<?>... watched) {
        return ask(recording.snapshot(SnapshotOptions.afterGc()), ways, watched);
    }

    static HeldBlock ask(HeapSnapshot snapshot, int ways, WeakReference<?>... watched) {
        return ask(snapshot, new long[] {60_000_000, 600_000_000, 1L << 30, 1L << ways}, watched);
    }

    static HeldBlock ask(HeapSnapshot snapshot, long[] limits, WeakReference<?>... watched) {
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
        return block == null ? null : read(block);
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

    private static HeldBlock read(byte[] block) {
        ByteBuffer buffer = ByteBuffer.wrap(block);
        HeldBlock held = HeldBlock.read(buffer);
        if (buffer.hasRemaining()) {
            throw new IllegalArgumentException(buffer.remaining() + " bytes too many");
        }
        return held;
    }

    /** The path to a target in a line. */
    static String text(HeldBlock.Target target) {
        StringBuilder text = new StringBuilder();
        text.append(target.outcome()).append(' ').append(target.root()).append(' ');
        text.append(simpleName(target.rootClass()));
        text.append('.').append(target.rootName()).append(':');
        for (HeldBlock.Step step : target.steps()) {
            String to = simpleName(step.to());
            text.append(
                    switch (step.kind()) {
                        case 0 -> to;
                        case 1, 2 -> "." + step.field() + " " + to;
                        case 3 -> "[] " + to;
                        default -> "#" + step.kind() + " " + to;
                    });
        }
        return text.toString();
    }

    private static String simpleName(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}
