// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Logs each cause once, and again when it is still there an hour later. For one thread. */
final class Complaints {

    static final long AGAIN_AFTER = TimeUnit.HOURS.toNanos(1);

    private final System.Logger log;
    private final String name;
    private final LongSupplier nanoTime;
    private final Map<String, Long> told = new HashMap<>();

    Complaints(System.Logger log, String name, LongSupplier nanoTime) {
        this.log = log;
        this.name = name;
        this.nanoTime = nanoTime;
    }

    /**
     * Logs, unless this cause was logged within the hour.
     *
     * @param cause one of few, such as the number of a status or the name of a class
     */
    void log(String cause, String text) {
        long now = nanoTime.getAsLong();
        Long last = told.get(cause);
        if (last == null || now - last >= AGAIN_AFTER) {
            told.put(cause, now);
            log.log(System.Logger.Level.WARNING, name + ": " + text);
        }
    }
}
