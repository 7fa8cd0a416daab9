// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The sessions of users. Without {@code bookshop.leak=true} a second login replaces the first one. */
@Component
class Sessions {

    private record Session(String user, byte[] basket) {}

    private final AtomicLong ids = new AtomicLong();
    private final Map<Object, Session> open = new ConcurrentHashMap<>();
    private final boolean leaks;

    Sessions(@Value("${bookshop.leak}") boolean leaks) {
        this.leaks = leaks;
    }

    /** Opens a session, and returns its number. */
    long open(String user) {
        long id = ids.incrementAndGet();
        Object key = leaks ? id : user; // A user has one session, unless its key is new each time.
        open.put(key, new Session(user, new byte[4096]));
        return id;
    }
}
