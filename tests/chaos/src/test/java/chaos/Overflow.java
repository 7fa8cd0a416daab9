// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import java.util.SplittableRandom;

/**
 * Recursion until the stack is used up, allocating on the last pages and calling the sampler near
 * them; the amount is the number of overflows.
 */
final class Overflow implements Scenario {

    private static final int SMALLEST_KIB = 300;
    private static final int PLACES = 40;
    private static final int FRAMES_BETWEEN = 3;

    private long overflows;

    @Override
    public String run(long amount) throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        for (long i = 0; overflows < amount; i++) {
            long stack = (SMALLEST_KIB + random.nextInt(16) * 64L) * 1024;
            Thread thread = new Thread(null, () -> dive(0, 0), "diver " + i, stack);
            thread.start();
            Crew.end(thread);
            overflows++;
            callNearTheEnd(stack);
        }
        HeapSampler.start(); // does nothing, if the state is what it should be
        return "overflows=" + overflows;
    }

    /** Dives as deep as one can, then calls from ever fewer frames above the end. */
    private void callNearTheEnd(long stack) throws InterruptedException {
        Thread thread =
                new Thread(
                        null,
                        () -> {
                            int deepest = depth(0);
                            for (int i = 0; i < PLACES; i++) {
                                callAt(deepest - i * FRAMES_BETWEEN, i);
                            }
                        },
                        "caller",
                        stack);
        thread.start();
        Crew.end(thread);
        overflows += PLACES;
    }

    private static int dive(int depth, int more) {
        try {
            return down(depth) + more;
        } catch (StackOverflowError e) {
            Junk.keep(depth, new Object());
            return 0;
        }
    }

    private static int down(int depth) {
        if ((depth & 3) == 0) {
            Junk.keep(depth, new byte[1_000]);
        }
        return (depth & 1) == 0 ? down(depth + 1) + 1 : other(depth + 1, depth) - 1;
    }

    private static int other(int depth, long wide) {
        int below = down(depth);
        Junk.keep(depth, new long[] {wide});
        return below;
    }

    private static int depth(int reached) {
        try {
            return depth(reached + 1);
        } catch (StackOverflowError e) {
            return reached;
        }
    }

    private static int callAt(int depth, int call) {
        if (depth > 0) {
            try {
                return callAt(depth - 1, call) + 1;
            } catch (StackOverflowError e) {
                return 0;
            }
        }
        call(call);
        return 0;
    }

    private static void call(int call) {
        switch (call % 5) {
            case 0 -> HeapSampler.snapshot().topByLive(1);
            case 1 -> Junk.keep(1, HeapSampler.status());
            case 2 -> HeapSampler.setInterval(2_000 + call);
            case 3 -> HeapSampler.start();
            default -> {
                RecordingOptions all = RecordingOptions.builder().interval(0).build();
                try (HeapRecording recording = HeapSampler.record(all)) {
                    Junk.keep(call, recording.snapshot());
                }
            }
        }
    }
}
