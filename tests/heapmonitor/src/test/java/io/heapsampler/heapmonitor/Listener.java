// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process that listens to the probes of this one, {@code tests/native/probes/listen.c}, and the
 * objects that are alive by its events alone.
 */
final class Listener implements AutoCloseable {

    private static final int FORBIDDEN = 77;
    private static final int PATIENCE_SECONDS = 120;

    /**
     * An object, as the events describe it.
     *
     * @param weightedBytes what it stands for
     */
    record Heard(long id, long size, long weightedBytes) {}

    private final Process process;
    private final Path events;

    private Listener(Process process, Path events) {
        this.process = process;
        this.events = events;
    }

    /** Begins to listen; skips the test where no process may trace another. */
    static Listener begin(Path folder) throws IOException, InterruptedException {
        Path program = Path.of(System.getProperty("hstest.library")).resolveSibling("hslisten");
        assumeTrue(Files.exists(program), "no listener for this processor");
        Path events = folder.resolve("events.txt");
        Path errors = folder.resolve("errors.txt");
        String pid = Long.toString(ProcessHandle.current().pid());
        ProcessBuilder builder =
                new ProcessBuilder(program.toString(), pid, "/libheapsampler-", events.toString());
        builder.environment().remove("LD_PRELOAD");
        Process process = builder.redirectError(Redirect.to(errors.toFile())).start();
        BufferedReader output = process.inputReader();
        if (!"listening".equals(output.readLine())) {
            int code = process.waitFor();
            assumeTrue(code != FORBIDDEN, () -> "ptrace is forbidden here: " + read(errors));
            throw new AssertionError("exit code " + code + ": " + read(errors));
        }
        return new Listener(process, events);
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of(e.toString());
        }
    }

    /** Stops, and returns the events in their order. */
    List<String> end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(events);
    }

    @Override
    public void close() {
        process.destroy(); // its end lets all threads go
    }

    /** Returns the live objects after these events, by id. Each event must fit those before. */
    static Map<Long, Heard> alive(List<String> events) {
        Map<Long, Heard> alive = new HashMap<>();
        for (String event : events) {
            String[] words = event.split(" ");
            long id = Long.parseUnsignedLong(words[2]);
            assertThat(id).isNotZero();
            switch (words[1]) {
                case "otel_memory:alloc" -> {
                    Heard heard = new Heard(id, number(words[3]), number(words[4]));
                    assertThat(alive.put(id, heard)).as(event).isNull();
                }
                case "otel_memory:free" -> assertThat(alive.remove(id)).as(event).isNotNull();
                case "heapsampler:weight" ->
                        alive.compute(id, (same, old) -> heavier(old, number(words[3])));
                default -> throw new AssertionError(event);
            }
        }
        return alive;
    }

    private static Heard heavier(Heard old, long weightedBytes) {
        assertThat(weightedBytes).isGreaterThan(old.weightedBytes());
        return new Heard(old.id(), old.size(), weightedBytes);
    }

    private static long number(String word) {
        return Long.parseUnsignedLong(word);
    }
}
