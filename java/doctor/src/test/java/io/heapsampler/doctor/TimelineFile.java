// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.internal.shared.WholeFile;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Timelines as text files, to be judged later or elsewhere: in a test, say, or by another version
 * of the rules. One line is one tick, collection or event; a number is the difference from the line
 * of the same kind before it, so that a minute takes a few kilobytes.
 *
 * <pre>{@code
 * TimelineFile.write(doctor.timeline(), Path.of("yesterday.timeline"));
 * Timeline timeline = TimelineFile.read(Path.of("yesterday.timeline"));
 * }</pre>
 *
 * <p>A timeline that is read equals the written one, with times to the microsecond. All methods are
 * safe for use by many threads.
 */
public final class TimelineFile {

    private TimelineFile() {}

    /**
     * Writes a timeline. An existing file is replaced as a whole.
     *
     * @param timeline the timeline
     * @param file the file to write
     * @throws IOException if it cannot be written; an existing file is then unchanged
     */
    public static void write(Timeline timeline, Path file) throws IOException {
        WholeFile.replace(
                file,
                out -> {
                    Writer text =
                            new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
                    write(timeline, text);
                    text.flush();
                });
    }

    /**
     * Writes a timeline to a stream of characters, which stays open.
     *
     * @param timeline the timeline
     * @param out the stream
     * @throws IOException if it cannot be written
     */
    public static void write(Timeline timeline, Writer out) throws IOException {
        new TimelineWriter(out).write(timeline);
    }

    /**
     * Reads a timeline.
     *
     * @param file a file that {@link #write} has written
     * @return the timeline
     * @throws IOException if it cannot be read, or is not a timeline of this version; the message
     *     names the file and the line
     */
    public static Timeline read(Path file) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return new TimelineReader(in, file.toString()).read();
        }
    }

    /**
     * Reads a timeline from a stream of characters, which stays open.
     *
     * @param in the characters
     * @param name the name of the source, for messages
     * @return the timeline
     * @throws IOException if it cannot be read, or is not a timeline of this version
     */
    public static Timeline read(Reader in, String name) throws IOException {
        return new TimelineReader(
                        in instanceof BufferedReader buffered ? buffered : new BufferedReader(in),
                        name)
                .read();
    }
}
