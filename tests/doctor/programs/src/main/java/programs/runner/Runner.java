// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs cells of the table, some at a time, and writes a line for each as soon as it has ended. The
 * working directory is the module's.
 */
final class Runner {

    /** Takes one processor as long as the process exists whose id is the first argument. */
    private static final String BUSY =
            "while kill -0 $0; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

    private final Settings settings;

    private Runner(Settings settings) {
        this.settings = settings;
    }

    public static void main(String... args) throws Exception {
        Settings settings = Settings.of(args);
        if (settings.reports().isEmpty()) {
            new Runner(settings).run();
        } else {
            System.out.print(Report.of(settings.reports()));
        }
    }

    private void run() throws Exception {
        List<Cell> cells =
                Table.rows().stream()
                        .flatMap(row -> Cell.of(row).stream())
                        .filter(settings::wants)
                        .toList();
        if (cells.isEmpty()) {
            throw new IllegalArgumentException("no cell matches " + settings.glob());
        }
        Process busy = settings.isLoaded() ? busyProcess() : null;
        try {
            runAll(cells);
        } finally {
            if (busy != null) {
                busy.destroyForcibly();
            }
        }
        System.out.print(Report.of(List.of(settings.out())));
    }

    /** Starts a process that takes one processor until this JVM ends. */
    private static Process busyProcess() throws IOException {
        Process busy =
                new ProcessBuilder("sh", "-c", BUSY, "" + ProcessHandle.current().pid()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(busy::destroyForcibly));
        return busy;
    }

    private void runAll(List<Cell> cells) throws InterruptedException, ExecutionException {
        int jobs = Integer.parseInt(System.getenv().getOrDefault("HEAPSAMPLER_JOBS", "2"));
        ExecutorService pool = Executors.newFixedThreadPool(jobs);
        List<Future<?>> running = new ArrayList<>();
        for (Cell cell : cells) {
            running.add(
                    pool.submit(
                            () -> {
                                write(new Run(cell, settings.load()).result());
                                return null;
                            }));
        }
        pool.shutdown();
        for (Future<?> each : running) {
            each.get();
        }
    }

    private synchronized void write(Result result) throws IOException {
        Path out = settings.out().toAbsolutePath();
        Files.createDirectories(out.getParent());
        if (Files.notExists(out)) {
            Files.writeString(out, Result.HEADER + "\n");
        }
        Files.writeString(out, result.line() + "\n", StandardOpenOption.APPEND);
        System.out.println("programs: " + result.line().replace("\t", "  "));
    }
}
