// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The payloads that wait to be sent, the first in front, up to a number of bytes. Safe for use by
 * many threads.
 */
final class Outbox {

    private final long most;
    private final ArrayDeque<Payload> waiting = new ArrayDeque<>();
    private long bytes;

    Outbox(long most) {
        this.most = most;
    }

    /** Adds a request that is not larger than all may be, and returns how many had to go for it. */
    synchronized int add(Payload payload) {
        int gone = 0;
        while (bytes + payload.body().length > most && remove() != null) {
            gone++;
        }
        waiting.add(payload);
        bytes += payload.body().length;
        return gone;
    }

    synchronized @Nullable Payload head() {
        return waiting.peek();
    }

    /** Lets the others go before the oldest. */
    synchronized void rotate() {
        Payload oldest = waiting.poll();
        if (oldest != null) {
            waiting.add(oldest);
        }
    }

    /** Takes the oldest out. */
    synchronized @Nullable Payload remove() {
        Payload oldest = waiting.poll();
        if (oldest != null) {
            bytes -= oldest.body().length;
        }
        return oldest;
    }

    synchronized int size() {
        return waiting.size();
    }

    synchronized long bytes() {
        return bytes;
    }
}
