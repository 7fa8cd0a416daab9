// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes snapshots into a ring of files: {@code heap.hsnap} becomes {@code
 * heap-20261122-101500-4711-000001.hsnap} and so on: time, process and a number. A file has its
 * name only once it is whole. The oldest go when there are too many, or when together they take too
 * much of the disk; what earlier runs of the same application have left counts, too.
 */
final class SnapshotRecorder implements Recorder {

    private static final String SUFFIX = ".hsnap";

    private final Path folder;
    private final String stem;
    private final Pattern ring;
    private final Pattern parts;
    private final int maxFiles;
    private final long maxBytes;
    private int written;

    SnapshotRecorder(Path file, int maxFiles, long maxBytes) {
        String name = String.valueOf(file.getFileName());
        this.folder = file.toAbsolutePath().resolveSibling("");
        this.stem =
                name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
        String numbered =
                Pattern.quote(stem) + "-\\d{8}-\\d{6}-\\d+-\\d{6}" + Pattern.quote(SUFFIX);
        this.ring = Pattern.compile(numbered);
        this.parts = Pattern.compile(numbered + "\\.[0-9a-f]+\\.part");
        this.maxFiles = maxFiles;
        this.maxBytes = maxBytes;
    }

    @Override
    public boolean mayWait() {
        return false;
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        Files.createDirectories(folder);
        if (written == 0) {
            // What a killed run has left half written.
            for (Path part : files(parts)) {
                Files.deleteIfExists(part);
            }
        }
        written++;
        Instant taken = snapshot.takenAt();
        String name =
                String.format(
                        Locale.ROOT,
                        "%s-%s-%d-%06d%s",
                        stem,
                        Placeholders.STAMP.format(taken),
                        ProcessHandle.current().pid(),
                        written,
                        SUFFIX);
        snapshot.write(folder.resolve(name));
        trim();
    }

    /** Keeps the newest, one at least. */
    private void trim() throws IOException {
        List<Path> newestFirst = files(ring);
        newestFirst.sort(
                Comparator.comparing((Path file) -> String.valueOf(file.getFileName())).reversed());
        long bytes = 0;
        for (int i = 0; i < newestFirst.size(); i++) {
            bytes += Files.size(newestFirst.get(i));
            if (i > 0 && (i >= maxFiles || bytes > maxBytes)) {
                Files.deleteIfExists(newestFirst.get(i));
            }
        }
    }

    private List<Path> files(Pattern names) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return new ArrayList<>(
                    all.filter(file -> names.matcher(String.valueOf(file.getFileName())).matches())
                            .toList());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
