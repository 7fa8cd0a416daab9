// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Threads that are older than a recording, the calling one aside, which the sampler looks after.
 * Their way to the next sample was drawn with the interval of before, half a megabyte or more, so
 * what they allocate at first may not be sampled. What the JVM counts of them says how much that is
 * at most.
 */
final class OlderThreads {

    /** None, where other threads do not count. */
    private static final OlderThreads NONE = new OlderThreads(new long[0]);

    private final long[] ids;
    private final long[] before;

    private OlderThreads(long[] ids) {
        this.ids = ids;
        this.before = Counters.ofThreads(ids);
    }

    /**
     * Returns those that count. Call this before the recording is opened: the sampler has a thread
     * of its own, which ends with it.
     */
    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, and answers the same.
    static OlderThreads of(Scope scope) {
        if (scope.threads() != ThreadScope.ALL) {
            return NONE;
        }
        long own = Thread.currentThread().getId();
        return new OlderThreads(
                LongStream.of(Counters.threads()).filter(id -> id != own).toArray());
    }

    /** Returns those of which there is no sample yet, counted from now on. */
    OlderThreads unseenIn(HeapSnapshot snapshot) {
        Set<Long> seen =
                snapshot.threads().stream()
                        .map(thread -> thread.threadId().orElse(-1L))
                        .collect(Collectors.toSet());
        return new OlderThreads(LongStream.of(ids).filter(id -> !seen.contains(id)).toArray());
    }

    /** Bytes of all of them since then; infinite if that is not known of one, which has ended. */
    double bytes() {
        double sum = 0;
        for (double bytes : each()) {
            sum += bytes;
        }
        return sum;
    }

    /** Bytes of the one that allocated most. */
    double most() {
        double most = 0;
        for (double bytes : each()) {
            most = Math.max(most, bytes);
        }
        return most;
    }

    private double[] each() {
        long[] now = Counters.ofThreads(ids);
        double[] bytes = new double[ids.length];
        for (int i = 0; i < ids.length; i++) {
            boolean isKnown = before[i] >= 0 && now[i] >= 0;
            bytes[i] = isKnown ? now[i] - before[i] : Double.POSITIVE_INFINITY;
        }
        return bytes;
    }

    /** Returns a figure that allows for what they have allocated unseen. */
    Measured widen(Measured figure) {
        double bytes = bytes();
        return bytes == 0
                ? figure
                : figure.widened(figure.low(), figure.high() + bytes, reason(bytes), HELP);
    }

    static String reason(double bytes) {
        return bytes == Double.POSITIVE_INFINITY
                ? "a thread that is older than the recording has ended, and may have allocated"
                        + " unseen"
                : "threads that are older than the recording may have allocated "
                        + ByteSize.format(bytes)
                        + " unseen";
    }

    static final String HELP =
            "Start these threads in the measured code, or let nothing else run beside it.";
}
