// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerHold;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Recursion until the stack is used up, allocating on the last pages and calling the sampler so
 * near them that its calls are cut off; the amount is the number of overflows.
 */
final class Overflow implements Scenario {

    private static final int SMALLEST_KIB = 300;
    private static final int CALLS = 60;
    private static final int KINDS = 6;
    private static final int FIRST_DEPTH = 400;
    private static final int NEAREST = 8;

    private long overflows;
    private long cutOff;
    private boolean isReached;

    /** The last hold, which an overflow may have left open. */
    private SamplerHold hold;

    @Override
    public String run(long amount) throws Exception {
        for (int i = 0; i < KINDS; i++) {
            call(i); // its classes are there before the stack is short
        }
        SplittableRandom random = new SplittableRandom(3);
        for (long i = 0; overflows < amount; i++) {
            long stack = (SMALLEST_KIB + random.nextInt(16) * 64L) * 1024;
            run(new Thread(null, () -> dive(0, 0), "diver " + i, stack));
            overflows++;
            run(new Thread(null, this::callNearTheEnd, "caller " + i, stack));
        }
        if (cutOff == 0) {
            throw new IllegalStateException("no call of the sampler was cut off");
        }
        HeapSampler.start(); // does nothing, if the state is what it should be
        List<String> holders = HeapSampler.status().holders();
        if (!holders.equals(List.of("application"))) {
            throw new IllegalStateException("holds are left: " + holders);
        }
        return "overflows=" + overflows + " cut=" + cutOff;
    }

    private static void run(Thread thread) throws InterruptedException {
        thread.start();
        Crew.end(thread);
    }

    /** Feels its way to where a call begins but cannot end. */
    private void callNearTheEnd() {
        int depth = FIRST_DEPTH;
        int step = FIRST_DEPTH;
        boolean isNear = false;
        for (int i = 0; i < CALLS; i++) {
            isReached = false;
            try {
                callAt(depth, i);
                depth += step;
                step = isNear ? step : depth;
            } catch (StackOverflowError e) {
                overflows++;
                cutOff += isReached ? 1 : 0;
                isNear = true;
                step = Math.max(NEAREST, step / 2);
                depth = Math.max(0, isReached ? depth - 1 : depth - step);
                closeHold();
            }
        }
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

    private int callAt(int depth, int call) {
        if (depth > 0) {
            return callAt(depth - 1, call) + 1;
        }
        isReached = true;
        call(call);
        return 0;
    }

    private void closeHold() {
        if (hold != null) {
            hold.close();
        }
    }

    private void call(int call) {
        switch (call % KINDS) {
            case 0 -> HeapSampler.snapshot().topByLive(1);
            case 1 -> Junk.keep(1, HeapSampler.status().toString());
            case 2 -> HeapSampler.setInterval(2_000 + call);
            case 3 -> HeapSampler.start();
            case 4 -> {
                hold = HeapSampler.share("diver");
                closeHold();
            }
            default -> {
                RecordingOptions all = RecordingOptions.builder().interval(0).build();
                try (HeapRecording recording = HeapSampler.record(all)) {
                    Junk.keep(call, recording.snapshot());
                }
            }
        }
    }
}
