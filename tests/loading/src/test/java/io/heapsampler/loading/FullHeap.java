// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;

/**
 * Runs in a forked JVM. Fills the heap until not even the smallest object fits, ends what is open
 * by the way that its argument names, and prints what the engine says afterwards. Nothing is ended
 * before the heap is full, so that even the first use of a class or a literal happens there.
 */
public final class FullHeap {

    private static final int[] PIECES = {1 << 20, 64 * 1024, 4 * 1024, 16};

    /** Each array is the first element of the next, so that filling needs nothing but arrays. */
    private static Object[] filling;

    private FullHeap() {}

    public static void main(String[] arguments) {
        SamplerHold hold =
                HeapSampler.share("tool", SamplerOptions.builder().interval(65_536).build());
        if (arguments[0].equals("application")) {
            HeapSampler.start();
        }
        HeapRecording recording =
                HeapSampler.record(RecordingOptions.builder().interval(65_536).build());
        Throwable failure = end(arguments[0].equals("close"), hold, recording);
        filling = null;
        SamplerStatus status = HeapSampler.status();
        hold.close();
        recording.close();
        System.out.println("failure=" + failure);
        System.out.println("open=" + hold.isOpen() + "," + recording.isOpen());
        System.out.println("holders=" + status.holders());
        System.out.println("sampling=" + status.isSampling());
        System.out.println("recordings=" + status.recordings());
    }

    /** What has been thrown is kept, and thrown objects are allocated by the JVM beforehand. */
    private static Throwable end(boolean closes, SamplerHold hold, HeapRecording recording) {
        fill();
        try {
            if (closes) {
                hold.close();
            } else {
                hold.stop();
                HeapSampler.stop();
            }
            recording.close();
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private static void fill() {
        for (int piece : PIECES) {
            fill(Math.max(1, piece / 4));
        }
    }

    private static void fill(int length) {
        try {
            while (true) {
                Object[] more = new Object[length];
                more[0] = filling;
                filling = more;
            }
        } catch (OutOfMemoryError e) {
            // As intended: no array of this length fits any more.
        }
    }
}
