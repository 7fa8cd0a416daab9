// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how long the JVM stood still, from its own log. */
final class SafepointLog {

    private static final Pattern PAUSE =
            Pattern.compile(
                    "Safepoint \"([^\"]*(?:Collect|GC|G1|^Z|Shenandoah|Mark|Relocate)[^\"]*)\".*"
                            + "At safepoint: +(\\d+) ns");
    private static final Pattern STOP =
            Pattern.compile(
                    "Safepoint \"([^\"]*)\".*Reaching safepoint: +(\\d+) ns.*"
                            + "At safepoint: +(\\d+) ns.*Total: +(\\d+) ns");
    private static final int PATIENCE_MILLIS = 50;

    /**
     * A stop, in nanoseconds.
     *
     * @param reaching until all threads of the application had stopped, which is theirs
     * @param at what the JVM then worked
     * @param total until they went on
     */
    record Stop(double reaching, double at, double total) {}

    private final Path file;
    private long read;

    SafepointLog(Path file) {
        this.file = file;
    }

    /** The flag that makes the JVM write the log. */
    static String flag(Path file) {
        return "-Xlog:safepoint:file=" + file + ":none:filecount=0";
    }

    /** Pauses for collections since the last call of a method, in nanoseconds. */
    List<Double> pauses() throws IOException, InterruptedException {
        List<Double> pauses = new ArrayList<>();
        Matcher matcher = PAUSE.matcher(newLines());
        while (matcher.find()) {
            pauses.add(Double.valueOf(matcher.group(2)));
        }
        return pauses;
    }

    /** Stops for an operation, such as {@code HeapDumper}, since the last call of a method. */
    List<Stop> stops(String operation) throws IOException, InterruptedException {
        List<Stop> stops = new ArrayList<>();
        Matcher matcher = STOP.matcher(newLines());
        while (matcher.find()) {
            if (matcher.group(1).equals(operation)) {
                stops.add(
                        new Stop(
                                Double.parseDouble(matcher.group(2)),
                                Double.parseDouble(matcher.group(3)),
                                Double.parseDouble(matcher.group(4))));
            }
        }
        return stops;
    }

    private String newLines() throws IOException, InterruptedException {
        Thread.sleep(PATIENCE_MILLIS); // the end of a pause is logged after it
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            log.seek(read);
            byte[] bytes = new byte[(int) (log.length() - read)];
            log.readFully(bytes);
            String text = new String(bytes, StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            read += end;
            return text.substring(0, end);
        }
    }

    static Path newFile() throws IOException {
        Path file = Files.createTempFile("bench", ".log");
        file.toFile().deleteOnExit();
        return file;
    }
}
