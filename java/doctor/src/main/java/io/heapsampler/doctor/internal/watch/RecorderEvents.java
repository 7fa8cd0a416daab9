// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.VmClock;
import io.heapsampler.internal.shared.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;

/**
 * The callers of {@code System.gc()}, from Flight Recorder. An event arrives a second or more after
 * its call. Use this class only if the module {@code jdk.jfr} is present.
 */
final class RecorderEvents implements AutoCloseable {

    private static final String EXPLICIT = "jdk.SystemGC";

    private static final int FRAMES = 16;

    /** Names of classes and methods can have 65,535 characters each. */
    private static final int NAME = 500;

    private final History history;
    private final VmClock clock;

    /** By how much the wall clock was ahead when this began. */
    private final long aheadBefore;

    private final RecordingStream stream;
    private final AtomicInteger callers = new AtomicInteger();

    /** Why the thread can no longer listen; null while it can. Not read once this is closed. */
    private volatile @Nullable Throwable failure;

    /**
     * Begins to listen, in a daemon thread of its own: the one that Flight Recorder would start
     * keeps the JVM from ending. Throws if this JVM has no Flight Recorder or cannot prepare it.
     */
    RecorderEvents(History history, VmClock clock) {
        if (!FlightRecorder.isAvailable()) {
            throw new IllegalStateException("this JVM has none");
        }
        this.history = history;
        this.clock = clock;
        this.aheadBefore = clock.ahead();
        this.stream = new RecordingStream();
        try {
            stream.enable(EXPLICIT).withThreshold(Duration.ZERO).withStackTrace();
            stream.onEvent(EXPLICIT, this::add);
            stream.setMaxSize(1);
            stream.setReuse(true);
            stream.setOrdered(false);
            DaemonThreads.of(this::listen, "heapsampler-doctor-events").start();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void listen() {
        try {
            stream.start(); // Returns when the stream is closed.
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
            failure = e;
        }
    }

    private void add(RecordedEvent event) {
        long at = clock.ofWall(event.getStartTime().toEpochMilli(), aheadBefore);
        double millis = Math.rint(event.getDuration().toNanos() / 1e3) / 1e3; // As in files.
        String isConcurrent = String.valueOf(event.getBoolean("invokedConcurrent"));
        RecordedStackTrace trace = event.getStackTrace();
        List<RecordedFrame> frames = trace == null ? List.of() : trace.getFrames();
        List<String> stack = frames.stream().limit(FRAMES).map(RecorderEvents::text).toList();
        Map<String, String> values = Map.of("invokedConcurrent", isConcurrent);
        history.add(new JvmEvent("SystemGC", at, millis, values, stack));
        callers.incrementAndGet();
    }

    private static String text(RecordedFrame frame) {
        String type = frame.getMethod().getType().getName();
        return text(type, frame.getMethod().getName(), frame.getLineNumber());
    }

    static String text(String type, String name, int line) {
        String method = type + '.' + name;
        String kept = method.length() <= NAME ? method : method.substring(0, NAME);
        return line > 0 ? kept + ':' + line : kept; // Native methods have no line.
    }

    @Nullable Throwable failure() {
        return failure;
    }

    /** Returns how many calls were reported. */
    int callers() {
        return callers.get();
    }

    @Override
    public void close() {
        stream.close();
    }
}
