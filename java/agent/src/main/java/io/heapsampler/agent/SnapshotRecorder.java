// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.agent.OptionValues.Placeholders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes snapshots into a ring of files: {@code heap.hsnap} becomes {@code
 * heap-20261122-101500-web1-4711-000001.hsnap} and so on: time, host, process and a number. A file
 * has its name only once it is whole. The oldest go when there are too many, or when together they
 * take too much of the disk; the files that earlier runs on the same host have left also count, and
 * so do those that others write there. But of each process that lives, the newest file stays. Files
 * of other hosts, such as containers with the same volume, are a ring of their own.
 */
final class SnapshotRecorder implements Recorder {

    private static final String SUFFIX = ".hsnap";

    private final Path folder;
    private final String stem;
    private final String host;
    private final String names;
    private final Pattern ring;
    private final int maxFiles;
    private final long maxBytes;
    private int written;

    /** A file of the ring. */
    private record Entry(Path file, String stamp, String process, long number) {

        static final Comparator<Entry> OLDEST_FIRST =
                Comparator.comparing(Entry::stamp)
                        .thenComparingLong(Entry::number)
                        .thenComparing(Entry::process);

        static Entry of(Path file, Pattern ring) {
            Matcher parts = ring.matcher(String.valueOf(file.getFileName()));
            if (!parts.matches()) {
                throw new IllegalArgumentException(file + " is not of the ring");
            }
            return new Entry(file, parts.group(1), parts.group(2), Long.parseLong(parts.group(3)));
        }

        boolean isOfLiving() {
            return ProcessHandle.of(Long.parseLong(process)).isPresent();
        }
    }

    SnapshotRecorder(Path file, int maxFiles, long maxBytes) {
        this(file, maxFiles, maxBytes, Placeholders.host());
    }

    /** For tests: on a host of that name. */
    SnapshotRecorder(Path file, int maxFiles, long maxBytes, String host) {
        String name = String.valueOf(file.getFileName());
        this.folder = file.toAbsolutePath().resolveSibling("");
        this.stem =
                name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
        this.host = host;
        this.names =
                "%s-(\\d{8}-\\d{6})-%s-(\\d{1,18})-(\\d{6,18})%s"
                        .formatted(Pattern.quote(stem), Pattern.quote(host), Pattern.quote(SUFFIX));
        this.ring = Pattern.compile(names);
        this.maxFiles = maxFiles;
        this.maxBytes = maxBytes;
    }

    @Override
    public int share() {
        return 0;
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        Files.createDirectories(folder);
        Leftovers.delete(folder, names);
        Path file = nextName(snapshot.takenAt());
        snapshot.writeTo(file);
        trim(file);
    }

    /** Containers that share the name of their host have processes of the same numbers. */
    private Path nextName(Instant taken) {
        Path file;
        do {
            written++;
            file =
                    folder.resolve(
                            String.format(
                                    Locale.ROOT,
                                    "%s-%s-%s-%d-%06d%s",
                                    stem,
                                    Placeholders.STAMP.format(taken),
                                    host,
                                    ProcessHandle.current().pid(),
                                    written,
                                    SUFFIX));
        } while (Files.exists(file));
        return file;
    }

    /** Deletes the oldest; the one just written stays, even if the clock was set back. */
    private void trim(Path justWritten) throws IOException {
        List<Entry> newestFirst = new ArrayList<>();
        for (Path file : Leftovers.files(folder, ring)) {
            if (!file.equals(justWritten)) {
                newestFirst.add(Entry.of(file, ring));
            }
        }
        newestFirst.sort(Entry.OLDEST_FIRST.reversed());
        newestFirst.add(0, Entry.of(justWritten, ring));
        Set<String> seen = new HashSet<>();
        long bytes = 0;
        for (int i = 0; i < newestFirst.size(); i++) {
            Entry entry = newestFirst.get(i);
            bytes += size(entry.file());
            boolean isNewest = seen.add(entry.process());
            boolean isTooMuch = i >= maxFiles || bytes > maxBytes;
            if (isTooMuch && !(isNewest && entry.isOfLiving())) {
                Files.deleteIfExists(entry.file());
            }
        }
    }

    /** Another agent may have deleted it. */
    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
