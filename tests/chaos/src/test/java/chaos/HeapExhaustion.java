// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap is filled up by several threads until there is none left, while others ask the sampler;
 * the amount is the number of errors to be met.
 */
final class HeapExhaustion implements Scenario {

    /** The smallest of them leave not even room for the smallest object. */
    private static final int[] PIECES = {64 * 1024, 4 * 1024, 16};

    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean isComplete;

    @Override
    public String run(long amount) throws Exception {
        HeapSampler.snapshot().topByLive(3); // a class cannot be initialised when the heap is full
        record();
        onAndOff();
        try (Crew crew = new Crew()) {
            crew.repeat("reader", () -> ask(() -> HeapSampler.snapshot().topByLive(3)));
            crew.repeat("switcher", () -> ask(HeapExhaustion::onAndOff));
            crew.repeat("recorder", () -> ask(HeapExhaustion::record));
            for (int piece : PIECES) {
                crew.repeat("filler of " + piece, () -> fill(piece));
            }
            isComplete = true;
            while (errors.get() < amount && !crew.hasFailed()) {
                rest();
            }
        }
        tooLargeAnArray();
        HeapSampler.stop();
        if (HeapSampler.status().state() != SamplerState.STOPPED) {
            throw new IllegalStateException("cannot be stopped: " + HeapSampler.status());
        }
        Chaos.start();
        Junk.keep(0, new byte[1 << 20]);
        return "errors=" + errors + " refused=" + refused;
    }

    /** This thread has no more heap than the others. */
    private static void rest() throws InterruptedException {
        try {
            Thread.sleep(1);
        } catch (OutOfMemoryError e) {
            Thread.onSpinWait();
        }
    }

    private void fill(int piece) {
        try {
            while (!isComplete) {
                Thread.onSpinWait(); // a thread cannot be started when the heap is full
            }
            fillUp(piece);
        } catch (OutOfMemoryError e) {
            errors.incrementAndGet();
        }
    }

    /** What it has filled is gone when the error has left it. */
    private static void fillUp(int piece) {
        List<Object> all = new ArrayList<>();
        while (true) {
            all.add(new byte[piece]);
        }
    }

    private static void record() {
        HeapSampler.record(RecordingOptions.builder().interval(0).build()).close();
    }

    private static void onAndOff() {
        HeapSampler.stop();
        HeapSampler.start();
    }

    /** Whoever asks may get the error too, for the answer is made of objects. */
    private void ask(Runnable question) {
        try {
            question.run();
        } catch (OutOfMemoryError e) {
            refused.incrementAndGet();
        }
    }

    private void tooLargeAnArray() {
        try {
            Junk.keep(0, new long[Integer.MAX_VALUE]);
        } catch (OutOfMemoryError e) {
            errors.incrementAndGet();
        }
    }
}
