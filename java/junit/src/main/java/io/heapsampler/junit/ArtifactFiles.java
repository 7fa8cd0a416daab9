// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import io.heapsampler.export.ExportFormat;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.MediaType;

/**
 * Writes snapshots of one test as files of the report. A file that cannot be written, or that would
 * be too large, is left out and named in a report entry; the first one of a run is logged also. No
 * failure here changes a verdict or ends the JVM.
 */
final class ArtifactFiles {

    private static final Logger LOGGER = System.getLogger("io.heapsampler.junit");
    private static final Namespace NAMESPACE = Namespace.create(ArtifactFiles.class);

    private final Configuration configuration;
    private final ExtensionContext context;
    private final List<Room> rooms;
    private final FileNames names;

    private ArtifactFiles(ExtensionContext context) {
        this.configuration = Configuration.of(context);
        this.context = context;
        Store ofTest = context.getStore(NAMESPACE);
        this.rooms =
                List.of(
                        room(ofTest, "artifacts.testLimit", configuration.artifactsTestLimit),
                        room(ofRun(), "artifacts.limit", configuration.artifactsLimit));
        this.names = one(ofTest, "names", new FileNames());
    }

    private Store ofRun() {
        return context.getRoot().getStore(NAMESPACE);
    }

    private static Room room(Store store, String setting, long bytes) {
        return one(store, setting, new Room("heapsampler.junit." + setting, bytes));
    }

    /**
     * Returns the value that the store has under a key, which is the given one if it has none yet.
     */
    @SuppressWarnings({"deprecation", "unchecked"}) // computeIfAbsent came after 5.12
    private static <T> T one(Store store, String key, T first) {
        return (T) store.getOrComputeIfAbsent(key, absent -> (Object) first);
    }

    /** Writes the snapshots of some verdicts, if their files are wanted. */
    static void publish(List<Verdict> verdicts, ExtensionContext context) {
        try {
            ArtifactFiles files = new ArtifactFiles(context);
            verdicts.forEach(files::publish);
        } catch (Throwable e) { // even if memory is short
            LOGGER.log(Level.WARNING, "Files of a heap assertion were not written", e);
        }
    }

    private void publish(Verdict verdict) {
        HeapSnapshot snapshot = verdict.snapshot();
        if (snapshot == null || !isWanted(verdict)) {
            return;
        }
        String name = names.of(verdict.rule());
        for (ExportFormat format : configuration.formats) {
            publish(name + format.suffix(), snapshot, format);
        }
    }

    private boolean isWanted(Verdict verdict) {
        return switch (configuration.artifacts) {
            case ALWAYS -> true;
            case ON_FAILURE -> verdict.outcome() == Outcome.FAILED;
            case NEVER -> false;
        };
    }

    @SuppressWarnings("deprecation") // The media type that 5.12 has; 6 also knows it.
    private void publish(String name, HeapSnapshot snapshot, ExportFormat format) {
        try {
            context.publishFile(
                    name,
                    MediaType.parse(format.mediaType()),
                    path -> write(path, snapshot, format));
        } catch (RuntimeException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            boolean isKnown = cause instanceof NotWrittenException;
            report(name, isKnown ? String.valueOf(cause.getMessage()) : cause.toString());
        }
    }

    /** The reason why there is no file; in place of errors for which JUnit would end the run. */
    static final class NotWrittenException extends IOException {

        private static final long serialVersionUID = 1L;

        NotWrittenException(String why) {
            super(why);
        }
    }

    private void write(Path path, HeapSnapshot snapshot, ExportFormat format) throws IOException {
        try (OutputStream file = Files.newOutputStream(path)) {
            LimitedOutput out = new LimitedOutput(file, rooms);
            try {
                snapshot.writeTo(out, format);
            } catch (Throwable e) {
                out.giveBack();
                throw e;
            }
        } catch (Throwable e) {
            Files.deleteIfExists(path);
            throw e instanceof NotWrittenException known
                    ? known
                    : new NotWrittenException(e.toString());
        }
        if (configuration.attaches) {
            System.out.println("[[ATTACHMENT|" + path.toAbsolutePath() + "]]");
        }
    }

    private void report(String name, String why) {
        context.publishReportEntry("heapsampler " + name, "not written: " + why);
        if (!one(ofRun(), "logged", new AtomicBoolean()).getAndSet(true)) {
            LOGGER.log(
                    Level.WARNING,
                    "{0} of {1} was not written: {2}. Later ones are named in report entries only.",
                    name,
                    TestCase.of(context).name(),
                    why);
        }
    }

    /**
     * Names for the files of one test: made of ASCII letters, digits and hyphens, for a file system
     * or a locale may have no others, and different even where case does not count.
     */
    static final class FileNames {

        private static final int LONGEST = 80;

        private final Set<String> taken = new HashSet<>();

        /** Returns a name, without suffix, that was not returned before. */
        synchronized String of(String rule) {
            String base = "heap-" + words(rule);
            String name = base;
            for (int i = 2; !taken.add(name.toLowerCase(Locale.ROOT)); i++) {
                name = base + "-" + i;
            }
            return name;
        }

        private static String words(String rule) {
            String plain =
                    Normalizer.normalize(rule, Normalizer.Form.NFKD).replaceAll("\\p{M}+", "");
            String words = plain.replaceAll("[^A-Za-z0-9]+", "-");
            return words.substring(0, Math.min(LONGEST, words.length())).replaceAll("^-|-$", "");
        }
    }

    /** Bytes that files may still take. Safe for use by many threads. */
    static final class Room {

        private final String setting;
        private final AtomicLong left;

        /** Makes room as a configuration parameter limits it. */
        Room(String setting, long bytes) {
            this.setting = setting;
            this.left = new AtomicLong(bytes);
        }

        /** Takes some; false if that much is not left, and then nothing is taken. */
        boolean take(int bytes) {
            if (left.addAndGet(-bytes) >= 0) {
                return true;
            }
            left.addAndGet(bytes);
            return false;
        }

        /** Returns bytes that were taken and not used. */
        void giveBack(long bytes) {
            left.addAndGet(bytes);
        }
    }

    /** Ends a file as soon as it would be larger than the room that is left. For one thread. */
    static final class LimitedOutput extends FilterOutputStream {

        private final List<Room> rooms;
        private long written;

        LimitedOutput(OutputStream out, List<Room> rooms) {
            super(out);
            this.rooms = rooms;
        }

        @Override
        public void write(int b) throws IOException {
            take(1);
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            take(length);
            out.write(bytes, offset, length);
        }

        private void take(int bytes) throws NotWrittenException {
            for (int i = 0; i < rooms.size(); i++) {
                if (!rooms.get(i).take(bytes)) {
                    rooms.subList(0, i).forEach(room -> room.giveBack(bytes));
                    throw new NotWrittenException(
                            "with it, files would be larger than %s allows"
                                    .formatted(rooms.get(i).setting));
                }
            }
            written += bytes;
        }

        /** Leaves the room to others: the file is deleted. */
        void giveBack() {
            rooms.forEach(room -> room.giveBack(written));
            written = 0;
        }
    }
}
