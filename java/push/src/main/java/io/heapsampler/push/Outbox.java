// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.http.HttpRequest;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait to be sent, oldest first, up to a number of bytes of their bodies.
 * Thread-safe.
 */
final class Outbox {

    private final long most;
    private final ArrayDeque<HttpRequest> waiting = new ArrayDeque<>();
    private long bytes;

    Outbox(long most) {
        this.most = most;
    }

    /** Adds a request within the limit, and returns how many older ones were removed for it. */
    synchronized int add(HttpRequest request) {
        int gone = 0;
        while (bytes + size(request) > most && remove() != null) {
            gone++;
        }
        waiting.add(request);
        bytes += size(request);
        return gone;
    }

    synchronized @Nullable HttpRequest head() {
        return waiting.peek();
    }

    /** Moves the oldest behind the others. */
    synchronized void rotate() {
        HttpRequest oldest = waiting.poll();
        if (oldest != null) {
            waiting.add(oldest);
        }
    }

    /** Removes the oldest. */
    synchronized @Nullable HttpRequest remove() {
        HttpRequest oldest = waiting.poll();
        if (oldest != null) {
            bytes -= size(oldest);
        }
        return oldest;
    }

    private static long size(HttpRequest request) {
        return request.bodyPublisher().map(HttpRequest.BodyPublisher::contentLength).orElse(0L);
    }

    synchronized int size() {
        return waiting.size();
    }

    synchronized long bytes() {
        return bytes;
    }
}
