// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What Linux says of this process. */
final class ProcFile {

    private static final Path SELF = Path.of("/proc/self");

    private ProcFile() {}

    /** Returns the lines of a file below /proc/self. */
    static String read(String name) {
        try {
            return new String(Files.readAllBytes(SELF.resolve(name)), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a field of the status, such as {@code SigCgt}, with its unit. */
    static String status(String field) {
        return read("status")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** Returns the resident memory, in KiB. */
    static long rss() {
        return Long.parseLong(status("VmRSS").split(" ", 2)[0]);
    }

    /** Returns what is open, with the number of times; class files and devices are the JVM's. */
    static Map<String, Integer> descriptors() {
        Map<String, Integer> open = new TreeMap<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(SELF.resolve("fd"))) {
            for (Path link : links) {
                count(open, link);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return open;
    }

    private static void count(Map<String, Integer> open, Path link) throws IOException {
        try {
            String target = Files.readSymbolicLink(link).toString().replaceAll("[0-9]+", "#");
            if (!target.matches(".*\\.jar|.*/modules|/dev/.*|/proc/.*|/sys/fs/cgroup/.*")) {
                open.merge(target, 1, Integer::sum);
            }
        } catch (NoSuchFileException e) {
            // the descriptor of this very listing
        }
    }

    /** Returns the names of the threads that the system knows, with their number. */
    static Map<String, Integer> threads() {
        Map<String, Integer> names = new TreeMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(SELF.resolve("task"))) {
            for (Path task : tasks) {
                count(names, task.resolve("comm"), task);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    private static void count(Map<String, Integer> names, Path comm, Path task) {
        try {
            names.merge(Files.readString(comm).strip(), 1, Integer::sum);
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
