// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.internal.shared.AllocatedBytes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Threads whose first allocations in a recording may be missing: the distance to their next sample
 * was drawn before, with an interval of half a megabyte or more. The JVM's count of their bytes is
 * the maximum that is missing. Used by one thread.
 */
final class UnseenThreads {

    /** Why a recording may miss allocations of these threads. */
    enum Cause {

        /** They are older than the recording of all threads. */
        OLDER(
                "threads that are older than the recording may have allocated %s unseen",
                """
                a thread that is older than the recording has ended, and may have allocated \
                unseen\
                """,
                "Start these threads in the measured code, or let nothing else run beside it."),

        /**
         * The recorded thread is virtual. A recording begins with the carrier on which it was
         * opened, and the thread may have gone on at another one. The JVM does not report where a
         * thread has been, and it may have come back meanwhile.
         */
        CARRIER(
                """
                its virtual thread may have been on other carriers for a while, which allocated \
                %s, and not all of that was recorded\
                """,
                """
                its virtual thread may have been on other carriers for a while, of which one has \
                ended, and not all of that was recorded\
                """,
                "Run it in a platform thread, or while no other virtual thread runs.");

        private final String counted;
        private final String ended;
        final String help;

        Cause(String counted, String ended, String help) {
            this.counted = counted;
            this.ended = ended;
            this.help = help;
        }

        String reason(double bytes) {
            return bytes == Double.POSITIVE_INFINITY
                    ? ended
                    : counted.formatted(ByteSize.format(bytes));
        }
    }

    private final Cause cause;
    private final long[] ids;
    private final long[] before;

    /** Null while they go on. */
    private long @Nullable [] after;

    private UnseenThreads(Cause cause, long... ids) {
        this.cause = cause;
        this.ids = ids;
        this.before = bytesOf(ids);
    }

    /**
     * Returns the threads that are older than a recording, except the calling one, which the
     * sampler looks after; none where other threads do not count. Call this before the recording is
     * opened: the sampler has a thread of its own, which ends with it.
     */
    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, with the same result.
    static UnseenThreads older(Scope scope) {
        if (scope.threads() != ThreadScope.ALL) {
            return new UnseenThreads(Cause.OLDER);
        }
        long own = Thread.currentThread().getId();
        return new UnseenThreads(
                Cause.OLDER, LongStream.of(allIds()).filter(id -> id != own).toArray());
    }

    /**
     * Returns all carriers but that of the calling thread; none for a platform thread, or where all
     * threads count, because {@link #older} has them there. Call this as soon as the recording is
     * open, before anything can make the thread change its carrier.
     */
    static UnseenThreads carriers(Scope scope) {
        String own = scope.threads() == ThreadScope.ALL ? "" : carrier();
        return own.isEmpty()
                ? new UnseenThreads(Cause.CARRIER)
                : new UnseenThreads(Cause.CARRIER, otherCarriers(own));
    }

    static boolean isVirtual() {
        return !carrier().isEmpty();
    }

    /** The name of a virtual thread ends with that of its carrier; empty for a platform thread. */
    private static String carrier() {
        String name = Thread.currentThread().toString();
        return name.startsWith("VirtualThread") ? name.substring(name.lastIndexOf('@') + 1) : "";
    }

    /** The other threads of the same pool; all if the names do not identify the own one. */
    private static long[] otherCarriers(String own) {
        long[] all = allIds();
        String[] names = names(all);
        String pool = own.substring(0, own.lastIndexOf('-') + 1);
        boolean isKnown = Arrays.stream(names).filter(own::equals).count() == 1;
        return IntStream.range(0, all.length)
                .filter(i -> !isKnown || (names[i].startsWith(pool) && !names[i].equals(own)))
                .mapToLong(i -> all[i])
                .toArray();
    }

    /** Returns the threads without a sample, counted from now on. */
    UnseenThreads withoutSample(HeapSnapshot snapshot) {
        Set<Long> seen =
                snapshot.threads().stream()
                        .map(thread -> thread.threadId().orElse(-1L))
                        .collect(Collectors.toSet());
        return new UnseenThreads(
                cause, LongStream.of(ids).filter(id -> !seen.contains(id)).toArray());
    }

    /** Later allocations do not count. Call this when the code has run, before anything else. */
    void end() {
        after = bytesOf(ids);
    }

    /** Returns the bytes of all of them; infinite if one of them is unknown, since it has ended. */
    double bytes() {
        long[] now = after == null ? bytesOf(ids) : after;
        double sum = 0;
        for (int i = 0; i < ids.length; i++) {
            boolean isKnown = before[i] >= 0 && now[i] >= 0;
            sum += isKnown ? now[i] - before[i] : Double.POSITIVE_INFINITY;
        }
        return sum;
    }

    /** Returns a figure that allows for the bytes that may be missing. */
    Measured widen(Measured figure) {
        double bytes = bytes();
        return bytes == 0
                ? figure
                : figure.widened(
                        figure.low(), figure.high() + bytes, cause.reason(bytes), cause.help);
    }

    /** Returns a figure with any upper bound if more than some bytes may be missing. */
    Measured unbounded(Measured figure, double accepted) {
        double bytes = bytes();
        return bytes <= accepted
                ? figure
                : figure.widened(0, Double.POSITIVE_INFINITY, cause.reason(bytes), cause.help);
    }

    /** The ids of all platform threads; an unknown one if the JVM does not count. */
    private static long[] allIds() {
        return AllocatedBytes.isCounted() ? AllocatedBytes.threadIds() : new long[] {-1};
    }

    /** Their names; empty for one that has ended, or if the JVM does not count. */
    private static String[] names(long[] ids) {
        String[] names = new String[ids.length];
        Arrays.fill(names, "");
        if (AllocatedBytes.isCounted()) {
            ThreadInfo[] infos = ManagementFactory.getThreadMXBean().getThreadInfo(ids);
            for (int i = 0; i < ids.length; i++) {
                names[i] = infos[i] == null ? "" : infos[i].getThreadName();
            }
        }
        return names;
    }

    /** Their bytes; -1 for one that has ended, or whose bytes are not counted. */
    private static long[] bytesOf(long[] ids) {
        if (AllocatedBytes.isCounted()) {
            return AllocatedBytes.of(ids);
        }
        long[] unknown = new long[ids.length];
        Arrays.fill(unknown, -1);
        return unknown;
    }
}
