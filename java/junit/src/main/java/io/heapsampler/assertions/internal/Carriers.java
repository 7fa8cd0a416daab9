// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import java.util.stream.IntStream;

/**
 * The carriers on which a virtual thread may have gone on unseen. A recording begins for a virtual
 * thread with the carrier on which it was opened; on another one the way to the next sample was
 * drawn before, so that its first half megabyte may not be sampled. The JVM does not report where a
 * thread has been: it may have come back meanwhile. But its allocations elsewhere are in the JVM's
 * count of the other carriers.
 */
final class Carriers {

    private static final Carriers NONE = new Carriers(new long[0]);

    static final String HELP =
            "Run it in a platform thread, or while no other virtual thread runs.";

    private final long[] ids;
    private final long[] before;
    private long[] after;

    private Carriers(long[] ids) {
        this.ids = ids;
        this.before = Counters.ofThreads(ids);
        this.after = before;
    }

    /**
     * Returns all but that of the calling thread; none for a platform thread, or where all threads
     * count, for then {@link OlderThreads} has them. Call this as soon as the recording is open,
     * before anything can make the thread go elsewhere.
     */
    static Carriers others(Scope scope) {
        String own = scope.threads() == ThreadScope.ALL ? "" : own();
        return own.isEmpty() ? NONE : new Carriers(others(own));
    }

    static boolean isVirtual() {
        return !own().isEmpty();
    }

    /** The name of a virtual thread ends with that of its carrier; empty for a platform thread. */
    private static String own() {
        String name = Thread.currentThread().toString();
        return name.startsWith("VirtualThread") ? name.substring(name.lastIndexOf('@') + 1) : "";
    }

    /** The other threads of the same pool; all where names do not tell which is the own one. */
    private static long[] others(String own) {
        long[] all = Counters.threads();
        String[] names = Counters.names(all);
        String pool = own.substring(0, own.lastIndexOf('-') + 1);
        boolean isKnown =
                IntStream.range(0, all.length).filter(i -> names[i].equals(own)).count() == 1;
        return IntStream.range(0, all.length)
                .filter(i -> !isKnown || (names[i].startsWith(pool) && !names[i].equals(own)))
                .mapToLong(i -> all[i])
                .toArray();
    }

    /** To be called when the code has run, before anything else. */
    void end() {
        after = Counters.ofThreads(ids);
    }

    /** Bytes of all of them between; infinite if that is not known of one, which has ended. */
    double bytes() {
        double sum = 0;
        for (int i = 0; i < ids.length; i++) {
            boolean isKnown = before[i] >= 0 && after[i] >= 0;
            sum += isKnown ? after[i] - before[i] : Double.POSITIVE_INFINITY;
        }
        return sum;
    }

    /** Returns a figure that allows for what the thread may have allocated on them. */
    Measured widen(Measured figure) {
        return bytes() == 0
                ? figure
                : figure.widened(figure.low(), figure.high() + bytes(), reason(), HELP);
    }

    String reason() {
        return reason(bytes());
    }

    static String reason(double bytes) {
        return "its virtual thread may have been on other carriers for a while, "
                + (bytes == Double.POSITIVE_INFINITY
                        ? "of which one has ended"
                        : "which allocated " + ByteSize.format(bytes))
                + ", and not all of that was recorded";
    }
}
