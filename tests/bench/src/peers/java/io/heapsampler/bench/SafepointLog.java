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

/** Reads how long the JVM stood still for collections, from its own log. */
final class SafepointLog {

    private static final Pattern PAUSE =
            Pattern.compile(
                    "Safepoint \"([^\"]*(?:Collect|GC|G1|^Z|Shenandoah|Mark|Relocate)[^\"]*)\".*"
                            + "At safepoint: +(\\d+) ns");
    private static final int PATIENCE_MILLIS = 50;

    private final Path file;
    private long read;

    SafepointLog(Path file) {
        this.file = file;
    }

    /** The flag that makes the JVM write the log. */
    static String flag(Path file) {
        return "-Xlog:safepoint:file=" + file + ":none:filecount=0";
    }

    /** Pauses for collections since the last call, in nanoseconds. */
    List<Double> pauses() throws IOException, InterruptedException {
        Thread.sleep(PATIENCE_MILLIS); // the end of a pause is logged after it
        List<Double> pauses = new ArrayList<>();
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            log.seek(read);
            byte[] bytes = new byte[(int) (log.length() - read)];
            log.readFully(bytes);
            String text = new String(bytes, StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            read += end;
            Matcher matcher = PAUSE.matcher(text.substring(0, end));
            while (matcher.find()) {
                pauses.add(Double.valueOf(matcher.group(2)));
            }
        }
        return pauses;
    }

    static Path newFile() throws IOException {
        Path file = Files.createTempFile("bench", ".log");
        file.toFile().deleteOnExit();
        return file;
    }
}
