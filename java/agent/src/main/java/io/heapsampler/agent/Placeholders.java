// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    static Placeholders now() {
        return new Placeholders(ProcessHandle.current().pid(), Instant.now());
    }

    /** The name of this host, or container, as a part of file names. */
    static String host() {
        String name;
        try {
            name = Files.readString(HOST_NAME).strip(); // asks no name server
        } catch (IOException e) {
            name = "localhost";
        }
        return name.replaceAll("[^A-Za-z0-9.-]", "_");
    }

    String fill(String path) {
        return path.replace("%p", Long.toString(processId)).replace("%t", STAMP.format(time));
    }
}
