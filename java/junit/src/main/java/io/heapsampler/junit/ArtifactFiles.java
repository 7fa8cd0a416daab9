// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import io.heapsampler.export.ExportFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
        this.configuration = new Configuration(context);
        this.context = context;
        Store ofTest = context.getStore(NAMESPACE);
        this.rooms =
                List.of(
                        room(ofTest, "artifacts.testLimit", configuration.artifactsTestLimit()),
                        room(
                                context.getRoot().getStore(NAMESPACE),
                                "artifacts.limit",
                                configuration.artifactsLimit()));
        this.names = one(ofTest, "names", new FileNames());
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
        for (ExportFormat format : configuration.formats()) {
            publish(name + format.suffix(), snapshot, format);
        }
    }

    private boolean isWanted(Verdict verdict) {
        return switch (configuration.artifacts()) {
            case ALWAYS -> true;
            case ON_FAILURE -> verdict.outcome() == Outcome.FAILED;
            case NEVER -> false;
        };
    }

    @SuppressWarnings("deprecation") // The media type that 5.12 has; 6 knows it, too.
    private void publish(String name, HeapSnapshot snapshot, ExportFormat format) {
        try {
            context.publishFile(
                    name,
                    MediaType.parse(format.mediaType()),
                    path -> write(path, snapshot, format));
        } catch (RuntimeException e) {
            Throwable cause = e.getCause();
            report(
                    name,
                    cause instanceof NotWrittenException known
                            ? known.why
                            : String.valueOf(cause == null ? e : cause));
        }
    }

    /** The reason why there is no file; in place of errors for which JUnit would end the run. */
    private static final class NotWrittenException extends IOException {

        private static final long serialVersionUID = 1L;

        private final String why;

        NotWrittenException(Throwable cause) {
            super(cause.toString());
            this.why =
                    cause instanceof LimitedOutput.FullException full
                            ? full.why()
                            : cause.toString();
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
            throw new NotWrittenException(e);
        }
        if (configuration.attaches()) {
            System.out.println("[[ATTACHMENT|" + path.toAbsolutePath() + "]]");
        }
    }

    private void report(String name, String why) {
        context.publishReportEntry("heapsampler " + name, "not written: " + why);
        AtomicBoolean isLogged =
                one(context.getRoot().getStore(NAMESPACE), "logged", new AtomicBoolean());
        if (!isLogged.getAndSet(true)) {
            LOGGER.log(
                    Level.WARNING,
                    "{0} of {1} was not written: {2}. Later ones are named in report entries only.",
                    name,
                    TestCase.of(context).name(),
                    why);
        }
    }
}
