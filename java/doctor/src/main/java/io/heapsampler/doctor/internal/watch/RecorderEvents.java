// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.VmClock;
import io.heapsampler.internal.shared.DaemonThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import jdk.jfr.EventSettings;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;

/**
 * Listens to Flight Recorder for details that notifications do not contain. It switches on only
 * rare events, and events that a threshold makes rare. The stream arrives a second or more after
 * the fact and loses its end, so only details of a finding depend on it (trap T4).
 *
 * <p>Use this class only if the module {@code jdk.jfr} is present.
 */
final class RecorderEvents implements AutoCloseable {

    /**
     * A type of event to record.
     *
     * @param type its name without {@code jdk.}
     * @param thresholdMillis the minimum duration of a recorded event
     * @param stack whether its stack is recorded
     * @param fields the paths of the fields to keep
     */
    private record Wanted(String type, long thresholdMillis, boolean stack, List<String> fields) {}

    private static final List<Wanted> ALL =
            List.of(
                    new Wanted("SystemGC", 0, true, List.of("invokedConcurrent")),
                    new Wanted("EvacuationFailed", 0, false, List.of("evacuationFailed.totalSize")),
                    new Wanted("PromotionFailed", 0, false, List.of("promotionFailed.totalSize")),
                    new Wanted(
                            "ZAllocationStall", 0, false, List.of("size", "eventThread.javaName")),
                    new Wanted("GCLocker", 0, true, List.of("lockCount", "stallCount")),
                    new Wanted("GCPhasePause", 5, false, List.of("name")),
                    new Wanted("GCPhasePauseLevel1", 5, false, List.of("name")),
                    new Wanted("GCPhasePauseLevel2", 10, false, List.of("name")),
                    new Wanted("GCReferenceStatistics", 0, false, List.of("type", "count")),
                    new Wanted("MetaspaceAllocationFailure", 0, true, List.of()));

    /** Frames that are kept of a stack. */
    private static final int FRAMES = 16;

    /** References are counted at each collection; fewer than these explain nothing. */
    private static final long FEW_REFERENCES = 1_000;

    /** Frames are many times the same; as many different ones share their text. */
    private static final int TEXTS = 1_024;

    private final History history;
    private final VmClock clock;

    /** By how much the wall clock was ahead when this began. */
    private final long aheadBefore;

    private final Consumer<Throwable> failure;
    private final RecordingStream stream;
    private volatile boolean closed;

    /** Used by the thread of the stream only. */
    private final Map<String, String> frames =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                    return size() > TEXTS;
                }
            };

    private RecorderEvents(History history, VmClock clock, Consumer<Throwable> failure) {
        this.history = history;
        this.clock = clock;
        this.aheadBefore = clock.ahead();
        this.failure = failure;
        this.stream = new RecordingStream();
    }

    /**
     * Begins to listen, in a daemon thread of its own: the one that Flight Recorder would start
     * keeps the JVM from ending.
     *
     * @param history receives the events
     * @param clock converts the time stamps, which are those of the wall clock
     * @param isZ whether pauses are so short that notifications round them to nothing (trap T3)
     * @param failure called by that thread if it can no longer listen, or not at all, as without a
     *     folder that Flight Recorder can write to; not called after {@link #close()}
     * @return null if this JVM has no Flight Recorder
     * @throws RuntimeException if it has and cannot prepare it
     */
    static @Nullable RecorderEvents listening(
            History history, VmClock clock, boolean isZ, Consumer<Throwable> failure) {
        if (!FlightRecorder.isAvailable()) {
            return null;
        }
        RecorderEvents events = new RecorderEvents(history, clock, failure);
        try {
            events.choose(isZ);
            DaemonThreads.of(events::listen, "heapsampler-doctor-events").start();
            return events;
        } catch (RuntimeException | Error e) {
            events.close();
            throw e;
        }
    }

    private void listen() {
        try {
            stream.start(); // Returns when the stream is closed.
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
            if (!closed) {
                failure.accept(e);
            }
        }
    }

    private void choose(boolean isZ) {
        for (Wanted wanted : ALL) {
            long threshold = isZ && wanted.type.equals("GCPhasePause") ? 0 : wanted.thresholdMillis;
            EventSettings settings =
                    stream.enable("jdk." + wanted.type).withThreshold(Duration.ofMillis(threshold));
            if (wanted.stack) {
                settings.withStackTrace();
            } else {
                settings.withoutStackTrace();
            }
            stream.onEvent("jdk." + wanted.type, event -> add(wanted, event));
        }
        stream.setMaxSize(1);
        stream.setReuse(true);
        stream.setOrdered(false);
    }

    private void add(Wanted wanted, RecordedEvent event) {
        Map<String, String> values = new HashMap<>();
        for (String field : wanted.fields) {
            String value = value(event, field);
            if (value != null) {
                values.put(name(field), history.name(value));
            }
        }
        if (isWorthKeeping(wanted.type, values)) {
            history.add(
                    new JvmEvent(
                            wanted.type,
                            clock.ofWall(event.getStartTime().toEpochMilli(), aheadBefore),
                            micros(event.getDuration()) / 1e3,
                            values,
                            wanted.stack ? stack(event) : List.of()));
        }
    }

    /** To the microsecond, as timelines are kept in files. */
    private static double micros(Duration duration) {
        return Math.rint(duration.toNanos() / 1e3);
    }

    private static boolean isWorthKeeping(String type, Map<String, String> values) {
        return !type.equals("GCReferenceStatistics")
                || Long.parseLong(values.getOrDefault("count", "0")) >= FEW_REFERENCES;
    }

    /** {@code totalSize} of {@code evacuationFailed.totalSize}. */
    private static String name(String path) {
        return path.substring(path.indexOf('.') + 1);
    }

    private static @Nullable String value(RecordedObject event, String path) {
        if (!event.hasField(path)) {
            return null;
        }
        Object value = event.getValue(path);
        return value == null ? null : value.toString();
    }

    private List<String> stack(RecordedEvent event) {
        if (event.getStackTrace() == null) {
            return List.of();
        }
        return event.getStackTrace().getFrames().stream()
                .limit(FRAMES)
                .map(this::frame)
                .filter(Objects::nonNull)
                .toList();
    }

    private @Nullable String frame(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        if (method == null) {
            return null;
        }
        int line = frame.getLineNumber();
        String name = method.getType().getName() + '.' + method.getName();
        String text = line > 0 ? name + ':' + line : name; // Native methods have none.
        return frames.computeIfAbsent(text, same -> same);
    }

    @Override
    public void close() {
        closed = true;
        stream.close();
    }
}
