// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.agent.OptionReader.Placeholders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
 * gets its name once it is whole. The oldest are deleted when there are too many, or when their
 * total size is too large. The files of other processes and earlier runs on the same host count,
 * but the newest file of each living process stays. Files of other hosts, such as containers with
 * the same volume, are a ring of their own.
 */
final class SnapshotRecorder implements Recorder {

    private static final String SUFFIX = ".hsnap";
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final Path folder;
    private final String stem;
    private final String host;
    private final String names;
    private final Pattern ring;
    private final int maxFiles;
    private final long maxBytes;
    private int written;

    /** A file of the ring. */
    private record Entry(Path file, String stamp, long process, long number) {

        static final Comparator<Entry> OLDEST_FIRST =
                Comparator.comparing(Entry::stamp)
                        .thenComparingLong(Entry::number)
                        .thenComparingLong(Entry::process);

        /** Another agent may have deleted it. */
        long size() throws IOException {
            try {
                return Files.size(file);
            } catch (NoSuchFileException e) {
                return 0;
            }
        }
    }

    SnapshotRecorder(Path file, int maxFiles, long maxBytes) {
        this(file, maxFiles, maxBytes, hostName());
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

    /** The name of this host, or container, as a part of file names. */
    static String hostName() {
        String name;
        try {
            name = Files.readString(HOST_NAME).strip(); // queries no name server
        } catch (IOException e) {
            name = "localhost";
        }
        return name.replaceAll("[^A-Za-z0-9.-]", "_");
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        Files.createDirectories(folder);
        Leftovers.delete(folder, names);
        Path file = nextFile(Placeholders.STAMP.format(snapshot.takenAt()));
        snapshot.writeTo(file);
        trim(file);
    }

    /** Containers with one host name may have processes with the same number. */
    private Path nextFile(String stamp) {
        long process = ProcessHandle.current().pid();
        Path file;
        do {
            written++;
            String numbers = String.format(Locale.ROOT, "%d-%06d", process, written);
            file = folder.resolve(String.join("-", stem, stamp, host, numbers) + SUFFIX);
        } while (Files.exists(file));
        return file;
    }

    /** Deletes the oldest; the last written file stays, even if the clock was set back. */
    private void trim(Path lastWritten) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Path file : Leftovers.files(folder, ring)) {
            Matcher parts = ring.matcher(String.valueOf(file.getFileName()));
            if (parts.matches()) {
                long process = Long.parseLong(parts.group(2));
                long number = Long.parseLong(parts.group(3));
                entries.add(new Entry(file, parts.group(1), process, number));
            }
        }
        entries.sort(
                Comparator.comparing((Entry entry) -> !entry.file.equals(lastWritten))
                        .thenComparing(Entry.OLDEST_FIRST.reversed()));
        Set<Long> seen = new HashSet<>();
        long bytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            bytes += entry.size();
            boolean isNewest = seen.add(entry.process);
            boolean isTooMuch = i >= maxFiles || bytes > maxBytes;
            if (isTooMuch && !(isNewest && ProcessHandle.of(entry.process).isPresent())) {
                Files.deleteIfExists(entry.file);
            }
        }
    }
}
