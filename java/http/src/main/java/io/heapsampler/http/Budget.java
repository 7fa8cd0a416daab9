// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that all responses together may hold. When there is no room for another one, those whose
 * clients have read nothing for too long lose theirs: so does a response that is never closed.
 */
final class Budget {

    private final long most;
    private final Set<Rendered> revocable = new HashSet<>();
    private long used;

    Budget(long most) {
        this.most = most;
    }

    /** Takes room, from others if need be; returns false if there is none. */
    boolean take(long bytes) {
        while (!tryTake(bytes)) {
            Rendered stalled = removeStalled();
            if (stalled == null) {
                return false;
            }
            stalled.tryRevoke(System.nanoTime());
        }
        return true;
    }

    private synchronized boolean tryTake(long bytes) {
        if (used + bytes > most) {
            return false;
        }
        used += bytes;
        return true;
    }

    private synchronized @Nullable Rendered removeStalled() {
        long now = System.nanoTime();
        Rendered longest =
                revocable.stream()
                        .min(Comparator.comparingLong(rendered -> rendered.patienceLeft(now)))
                        .filter(rendered -> rendered.patienceLeft(now) < 0)
                        .orElse(null);
        revocable.remove(longest);
        return longest;
    }

    synchronized void give(long bytes) {
        used -= bytes;
    }

    /** From now on its room may be taken when its patience is at an end. */
    synchronized void mayRevoke(Rendered rendered) {
        revocable.add(rendered);
    }

    synchronized void forget(Rendered rendered) {
        revocable.remove(rendered);
    }

    synchronized long used() {
        return used;
    }
}
