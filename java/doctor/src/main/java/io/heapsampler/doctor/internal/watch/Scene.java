// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.report.JsonReport;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Keeps the evidence of a finding before the process is restarted. It writes the diagnosis and a
 * snapshot of the sampler, as {@code <time>-<id>.json} and {@code .hsnap}. If requested, it also
 * writes a heap dump of the live objects, {@code .hprof}. The oldest are deleted when there are
 * more than ten.
 */
public final class Scene implements Consumer<Finding> {

    static final int MOST = 10;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final Pattern OURS =
            Pattern.compile("\\d{8}T\\d{6}Z-[a-z0-9.-]+\\.(json|hsnap|hprof)");

    private final Path folder;
    private final Supplier<Judgement> judgement;

    /** Findings with which a heap is still to be dumped. Used by the watching thread only. */
    private final Set<String> toDump;

    public Scene(Path folder, Set<String> heapDumpOn, Supplier<Judgement> judgement) {
        this.folder = folder;
        this.toDump = new HashSet<>(heapDumpOn);
        this.judgement = judgement;
    }

    @Override
    public void accept(Finding finding) {
        if (finding.severity() == Severity.INFO) {
            return;
        }
        String name = TIME.format(Instant.now()) + "-" + finding.id();
        try {
            Files.createDirectories(folder);
            String json = JsonReport.of(judgement.get());
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            WholeFile.replace(folder.resolve(name + ".json"), out -> out.write(bytes));
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
            String sentence =
                    """
                    Cannot keep the evidence of {} in {}. Name a folder that can be written to in \
                    preserveTo().\
                    """;
            Findings.log(Text.of(sentence, finding.id(), folder), e);
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
        NavigableSet<String> files = new TreeSet<>();
        try (Stream<Path> all = Files.list(folder)) {
            all.map(file -> file.getFileName().toString())
                    .filter(name -> OURS.matcher(name).matches())
                    .forEach(files::add);
        }
        NavigableSet<String> kept = new TreeSet<>(Set.of(justWritten));
        for (String file : files.descendingSet()) {
            String scene = file.substring(0, file.lastIndexOf('.'));
            if (kept.size() < MOST) {
                kept.add(scene);
            } else if (!kept.contains(scene)) {
                Files.deleteIfExists(folder.resolve(file));
            }
        }
    }
}
