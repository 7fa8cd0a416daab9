// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import io.heapsampler.export.Format;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.MediaType;

/** Snapshots of one test as files of the report. */
final class ArtifactFiles {

    private static final Namespace NAMESPACE = Namespace.create(ArtifactFiles.class);
    private static final int LONGEST_NAME = 80;

    private final Configuration configuration;
    private final ExtensionContext context;
    private final Set<String> names = new HashSet<>();

    private ArtifactFiles(ExtensionContext context) {
        this.configuration = new Configuration(context);
        this.context = context;
    }

    /** Writes what is wanted of the snapshots of some verdicts. */
    static void publish(List<Verdict> verdicts, ExtensionContext context) {
        ArtifactFiles files = new ArtifactFiles(context);
        verdicts.forEach(files::publish);
    }

    private void publish(Verdict verdict) {
        HeapSnapshot snapshot = verdict.snapshot();
        Configuration.Artifacts wanted = configuration.artifacts();
        boolean isWanted =
                wanted == Configuration.Artifacts.ALWAYS
                        || (wanted == Configuration.Artifacts.ON_FAILURE
                                && verdict.outcome() == Outcome.FAILED);
        if (snapshot == null || !isWanted) {
            return;
        }
        String name = unique(verdict.rule());
        for (Format format : configuration.formats()) {
            publish(name + format.suffix(), snapshot, format);
        }
    }

    private String unique(String rule) {
        String words = rule.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
        String base = "heap-" + words.substring(0, Math.min(LONGEST_NAME, words.length()));
        String name = base;
        for (int i = 2; !names.add(name); i++) {
            name = base + "-" + i;
        }
        return name;
    }

    @SuppressWarnings("deprecation") // The media type that 5.12 has; 6 knows it, too.
    private void publish(String name, HeapSnapshot snapshot, Format format) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            format.exporter().export(snapshot, bytes);
            if (!hasRoom(bytes.size())) {
                report(
                        name,
                        "the files of this run would be larger than heapsampler.artifacts.limit");
                return;
            }
            context.publishFile(
                    name,
                    MediaType.parse(format.mediaType()),
                    path -> {
                        Files.write(path, bytes.toByteArray());
                        if (configuration.attaches()) {
                            System.out.println("[[ATTACHMENT|" + path.toAbsolutePath() + "]]");
                        }
                    });
        } catch (IOException | RuntimeException e) { // nothing to fail a test for
            report(name, String.valueOf(e));
        }
    }

    private void report(String name, String why) {
        context.publishReportEntry("heapsampler " + name, "not written: " + why);
    }

    @SuppressWarnings("deprecation") // computeIfAbsent came after 5.12
    private boolean hasRoom(int bytes) {
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
