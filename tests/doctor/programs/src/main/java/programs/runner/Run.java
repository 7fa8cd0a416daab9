// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One run of a cell in a JVM of its own; its files stay in target/runs. */
final class Run {

    private static final Pattern PACE = Pattern.compile("pace: ([0-9,]+ of [0-9,]+) turns");
    private static final Pattern EXHAUSTED = Pattern.compile("pace: exhausted after [0-9.]+ s");

    /** A program that has not ended this long after its time is destroyed. */
    private static final int GRACE_SECONDS = 120;

    private final Cell cell;
    private final String load;
    private final Path directory;
    private final Path diagnosis;

    Run(Cell cell, String load) {
        this.cell = cell;
        this.load = load;
        directory = Path.of("target/runs", load, cell.name()).toAbsolutePath();
        diagnosis = directory.resolve("doctor.json");
    }

    /** Runs it and compares what the doctor reports with the row. */
    Result result() throws IOException, InterruptedException {
        if (cell.home().isEmpty()) {
            throw new IOException("no JDK " + cell.jdk() + " in the environment");
        }
        Files.createDirectories(directory);
        Files.deleteIfExists(diagnosis);
        Process process =
                new ProcessBuilder(command())
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
        Thread reader;
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try {
            reader = reader(process, lines);
            if (!process.waitFor(cell.row().seconds() + GRACE_SECONDS, TimeUnit.SECONDS)) {
                lines.add("0\tdestroyed");
            }
        } finally {
            process.destroyForcibly();
        }
        reader.join();
        String json = Files.exists(diagnosis) ? Files.readString(diagnosis) : "";
        return Result.of(cell, load, Judge.of(cell.row(), lines, json), end(process, lines, json));
    }

    private List<String> command() {
        Path module = Path.of("").toAbsolutePath();
        Row row = cell.row();
        List<String> command = new ArrayList<>();
        command.add(cell.home().orElseThrow() + "/bin/java");
        command.addAll(cell.collectorFlags());
        command.addAll(row.flags());
        command.add("-Xlog:gc*:file=" + directory.resolve("gc.log"));
        command.add(
                "-javaagent:%s=doctor=true,doctorFile=%s,exitTimeoutMs=20000"
                        .formatted(System.getProperty("programs.agent"), diagnosis));
        command.add("-cp");
        command.add(module.resolve("target/classes") + ":" + module.resolve("target/lib") + "/*");
        command.add("programs." + row.main());
        command.add(String.valueOf(row.seconds()));
        command.addAll(row.args());
        return command;
    }

    /** Reads the output; each line gets the seconds since the start of the process. */
    private Thread reader(Process process, List<String> lines) {
        long start = System.nanoTime();
        Thread thread =
                new Thread(
                        () -> {
                            try (BufferedReader in = process.inputReader();
                                    PrintWriter out =
                                            new PrintWriter(
                                                    Files.newBufferedWriter(
                                                            directory.resolve("output.log")),
                                                    true)) {
                                for (String text = in.readLine();
                                        text != null;
                                        text = in.readLine()) {
                                    double seconds = (System.nanoTime() - start) / 1e9;
                                    String line = "%.1f\t%s".formatted(seconds, text);
                                    lines.add(line);
                                    out.println(line);
                                }
                            } catch (IOException e) {
                                lines.add("0\t" + e);
                            }
                        });
        thread.start();
        return thread;
    }

    private static String end(Process process, List<String> lines, String json) {
        String text = String.join("\n", lines);
        List<String> parts = new ArrayList<>();
        Matcher pace = PACE.matcher(text);
        Matcher exhausted = EXHAUSTED.matcher(text);
        if (pace.find()) {
            parts.add(pace.group(1));
        } else if (exhausted.find()) {
            parts.add(exhausted.group().replace("pace: ", ""));
        }
        if (text.contains("\tdestroyed")) {
            parts.add("destroyed");
        } else if (process.exitValue() != 0) {
            parts.add("exit " + process.exitValue());
        }
        if (json.isEmpty()) {
            parts.add("no file");
        }
        return parts.isEmpty() ? "-" : String.join(", ", parts);
    }
}
