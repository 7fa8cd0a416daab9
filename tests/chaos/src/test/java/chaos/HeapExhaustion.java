// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The heap is filled up by several threads until there is none left, while others ask the sampler;
 * the amount is the number of errors to be met.
 */
final class HeapExhaustion implements Scenario {

    /**
     * Without inlining here: where compiled code did without an object that it needs after all, and
     * the heap is full, the JVM drops the whole compiled frame with the handlers of all that is
     * inlined in it, and throws the error out of that.
     */
    static final String[] FLAGS = {
        "-Xmx48m",
        "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=dontinline,chaos.HeapExhaustion::*"
    };

    /** The smallest of them leave not even room for the smallest object. */
    private static final int[] PIECES = {64 * 1024, 4 * 1024, 16};

    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicInteger filling = new AtomicInteger();
    private static volatile boolean hasCloseFailed;

    private volatile boolean isComplete;
    private volatile boolean isOver;

    @Override
    public String run(long amount) throws Exception {
        // A class cannot be initialised when the heap is full, neither ours nor the JDK's.
        HeapSampler.snapshot().topByLive(3);
        String.format(Locale.ROOT, "%d %.1f", amount, 1.5);
        record();
        onAndOff();
        try (Crew crew = new Crew()) {
            crew.repeat("reader", () -> ask(() -> HeapSampler.snapshot().topByLive(3)));
            crew.repeat("switcher", () -> ask(HeapExhaustion::onAndOff));
            crew.repeat("recorder", () -> ask(HeapExhaustion::record));
            for (int piece : PIECES) {
                crew.repeat("filler of " + piece, () -> fill(crew, piece));
            }
            BooleanSupplier isEnough = () -> errors.get() >= amount;
            BooleanSupplier isEmpty = () -> filling.get() == 0;
            isComplete = true;
            crew.workUntil(isEnough);
            isOver = true;
            crew.workUntil(isEmpty);
        }
        tooLargeAnArray();
        HeapSampler.stop();
        if (hasCloseFailed) {
            throw new IllegalStateException("a recording could not be closed on a full heap");
        }
        if (HeapSampler.status().state() != SamplerState.STOPPED) {
            throw new IllegalStateException("cannot be stopped: " + HeapSampler.status());
        }
        Chaos.start();
        Junk.keep(0, new byte[1 << 20]);
        return "errors=" + errors + " refused=" + refused;
    }

    private void fill(Crew crew, int piece) {
        while (!isComplete) {
            Thread.onSpinWait(); // a thread cannot be started when the heap is full
        }
        if (isOver) {
            Thread.onSpinWait();
            return;
        }
        filling.incrementAndGet();
        try {
            fillUp(piece);
        } catch (OutOfMemoryError e) {
            errors.incrementAndGet();
        } finally {
            filling.decrementAndGet();
            crew.wakeOwner();
        }
    }

    /** What it has filled is gone when the error has left it. */
    private void fillUp(int piece) {
        List<Object> all = new ArrayList<>();
        while (!isOver) {
            all.add(new byte[piece]);
        }
    }

    /** To open a recording takes memory, to close it none. */
    private static void record() {
        HeapRecording recording =
                HeapSampler.record(RecordingOptions.builder().interval(0).build());
        try {
            recording.close();
        } catch (OutOfMemoryError e) {
            hasCloseFailed = true;
            throw e;
        }
    }

    private static void onAndOff() {
        HeapSampler.stop();
        HeapSampler.start();
    }

    /** The caller may get the error too, since the answer is made of objects. */
    private void ask(Runnable question) {
        try {
            question.run();
        } catch (RuntimeException | Error e) {
            if (!isOutOfMemory(e)) {
                throw e;
            }
            refused.incrementAndGet();
        }
    }

    /**
     * The JDK wraps the error where a class or a call site is linked in a full heap, and refuses us
     * a thread.
     */
    private static boolean isOutOfMemory(Throwable thrown) {
        boolean isIt = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            isIt =
                    isIt
                            || cause instanceof OutOfMemoryError
                            || cause instanceof HeapSamplingUnavailableException
                            || String.valueOf(cause.getMessage()).contains("OutOfMemoryError");
        }
        return isIt;
    }

    private void tooLargeAnArray() {
        try {
            Junk.keep(0, new long[Integer.MAX_VALUE]);
        } catch (OutOfMemoryError e) {
            errors.incrementAndGet();
        }
    }
}
