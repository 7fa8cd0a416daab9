// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * What stands for {@code %p} and {@code %t} in paths.
 *
 * @param processId of this JVM
 * @param time of the agent's start
 */
record Placeholders(long processId, Instant time) {

    /** In file names: to the second, in UTC, in an order that is that of time. */
    static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    static Placeholders now() {
        return new Placeholders(ProcessHandle.current().pid(), Instant.now());
    }

    String fill(String path) {
        return path.replace("%p", Long.toString(processId)).replace("%t", STAMP.format(time));
    }
}
