// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** One event of JFR, with stacks, as the default settings of the JDK have it; it has no interval. */
final class JfrTool implements Tool {

    private static final String THROTTLE = "150/s";

    private final String event;
    private final Path file = Files.createTempFile("bench", ".jfr");
    private Recording recording = new Recording();

    JfrTool(String event) throws IOException {
        this.event = event;
        file.toFile().deleteOnExit();
    }

    @Override
    public void start(int interval) {
        recording = new Recording();
        recording
                .enable(event)
                .withStackTrace()
                .with("throttle", THROTTLE)
                .with("cutoff", "0 ns");
        recording.start();
    }

    @Override
    public void stop() throws IOException {
        recording.stop();
        recording.dump(file);
        recording.close();
    }

    @Override
    public long samples() {
        return 0;
    }

    @Override
    public long found() throws IOException {
        long count = 0;
        for (RecordedEvent found : RecordingFile.readAllEvents(file)) {
            count += found.getEventType().getName().equals(event) ? 1 : 0;
        }
        return count;
    }
}
