// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.SnapshotText;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.MediaType;

/** Snapshots as files of the test report. */
final class ArtifactFiles {

    private static final Namespace NAMESPACE = Namespace.create(ArtifactFiles.class);
    private static final int LONGEST_NAME = 80;

    private ArtifactFiles() {}

    static void publish(Verdict verdict, ExtensionContext context) {
        Configuration configuration = new Configuration(context);
        HeapSnapshot snapshot = verdict.snapshot();
        Configuration.Artifacts wanted = configuration.artifacts();
        boolean isWanted =
                wanted == Configuration.Artifacts.ALWAYS
                        || (wanted == Configuration.Artifacts.ON_FAILURE
                                && verdict.outcome() == Outcome.FAILED);
        if (snapshot == null || !isWanted) {
            return;
        }
        String name = verdict.rule().replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
        String file = "heap-" + name.substring(0, Math.min(LONGEST_NAME, name.length()));
        publish(file + ".collapsed.txt", SnapshotText.collapsed(snapshot), configuration, context);
        publish(file + ".json", SnapshotText.json(snapshot), configuration, context);
    }

    @SuppressWarnings("deprecation") // The media type that 5.12 has; 6 knows it, too.
    private static void publish(
            String name, String text, Configuration configuration, ExtensionContext context) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!hasRoom(bytes.length, configuration, context)) {
            context.publishReportEntry(
                    "heapsampler " + name,
                    "not written: the files of this run would be larger than"
                            + " heapsampler.artifacts.limit");
            return;
        }
        MediaType type =
                name.endsWith(".json") ? MediaType.APPLICATION_JSON : MediaType.TEXT_PLAIN_UTF_8;
        try {
            context.publishFile(
                    name,
                    type,
                    path -> {
                        Files.write(path, bytes);
                        if (configuration.attaches()) {
                            System.out.println("[[ATTACHMENT|" + path.toAbsolutePath() + "]]");
                        }
                    });
        } catch (RuntimeException e) { // nothing to fail a test for
            context.publishReportEntry("heapsampler " + name, "not written: " + e);
        }
    }

    @SuppressWarnings("deprecation") // computeIfAbsent came after 5.12
    private static boolean hasRoom(
            int bytes, Configuration configuration, ExtensionContext context) {
        AtomicLong written =
                context.getRoot()
                        .getStore(NAMESPACE)
                        .getOrComputeIfAbsent(
                                AtomicLong.class, key -> new AtomicLong(), AtomicLong.class);
        boolean hasRoom = written.addAndGet(bytes) <= configuration.artifactsLimit();
        if (!hasRoom) {
            written.addAndGet(-bytes);
        }
        return hasRoom;
    }
}
