// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import java.util.HashMap;
import java.util.Map;

/**
 * The planted leak: a cache that remembers a session for every transfer and never forgets one.
 *
 * <p>The mistake is the usual one. The key is new each time, so nothing is ever found again or
 * replaced, and old entries are never removed.
 */
final class SessionCache {

    /** What the application wanted to keep for a moment only. */
    private record Session(int from, int to, byte[] history) {}

    private static final int HISTORY_BYTES = 496;

    private final Map<Long, Session> sessions = new HashMap<>();
    private long lastId;

    /** Opens a session for a transfer. */
    void open(int from, int to) {
        sessions.put(++lastId, new Session(from, to, new byte[HISTORY_BYTES]));
    }

    /** Returns how many sessions it holds: all that were ever opened. */
    int size() {
        return sessions.size();
    }
}
