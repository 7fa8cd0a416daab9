// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.doctor.internal.timeline.TimelineFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Keeps the evidence of a finding before the process is restarted. It writes a snapshot of the
 * sampler and the timeline, as {@code <time>-<id>.hsnap} and {@code .timeline}. If requested, it
 * also writes a heap dump of the live objects, {@code .hprof}. The oldest are deleted when there
 * are more than ten.
 */
public final class Scene implements Consumer<Finding> {

    static final int MOST = 10;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final Pattern OURS =
            Pattern.compile("\\d{8}T\\d{6}Z-[a-z0-9.-]+\\.(hsnap|timeline|hprof)");

    private final Path folder;
    private final Supplier<Timeline> timeline;

    /** Findings with which a heap is still to be dumped. Used by the watching thread only. */
    private final Set<String> toDump;

    public Scene(Path folder, Set<String> heapDumpOn, Supplier<Timeline> timeline) {
        this.folder = folder;
        this.toDump = new HashSet<>(heapDumpOn);
        this.timeline = timeline;
    }

    @Override
    public void accept(Finding finding) {
        if (finding.severity() == Severity.INFO) {
            return;
        }
        String name = TIME.format(Instant.now()) + "-" + finding.id();
        try {
            Files.createDirectories(folder);
            TimelineFile.write(timeline.get(), folder.resolve(name + ".timeline"));
            if (HeapSampler.status().isSampling()) {
                HeapSampler.snapshot().writeTo(folder.resolve(name + ".hsnap"));
            }
            dropOld(name);
            // Last: it needs the most room, and takes the longest.
            if (toDump.contains(finding.id())) {
                dumpHeap(folder.resolve(name + ".hprof"));
                toDump.remove(finding.id());
            }
        } catch (IOException e) {
            Log.logger()
                    .log(
                            Level.WARNING,
                            "Cannot keep the evidence of "
                                    + finding.id()
                                    + " in "
                                    + folder
                                    + ". Name a folder that can be written to in preserveTo().",
                            e);
        }
    }

    /** Fails without a file, or with the part that found room. */
    private static void dumpHeap(Path file) throws IOException {
        HotSpotDiagnosticMXBean jvm =
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (jvm == null) {
            throw new IOException("This JVM dumps no heaps");
        }
        jvm.dumpHeap(file.toString(), true);
    }

    /**
     * The names begin with the time, so that their order is that of age. What was just written
     * stays, even if the clock was set back.
     */
    private void dropOld(String justWritten) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> files =
                    all.filter(file -> OURS.matcher(file.getFileName().toString()).matches())
                            .sorted()
                            .toList();
            List<String> others =
                    files.stream()
                            .map(Scene::scene)
                            .filter(scene -> !scene.equals(justWritten))
                            .distinct()
                            .toList();
            for (Path file : files) {
                int age = others.size() - others.indexOf(scene(file));
                if (!scene(file).equals(justWritten) && age >= MOST) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** The name without its ending. */
    private static String scene(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.lastIndexOf('.'));
    }
}
