// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldBy.Way;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.WaySearch;
import io.heapsampler.WaySearch.Found;
import io.heapsampler.bench.SafepointLog.Stop;
import io.heapsampler.internal.shared.HoldersText;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM with a heap of small objects, in which holders are searched. Arguments: the log of
 * safepoints; megabytes of live objects; what to measure, and its own arguments: {@code child}, how
 * many walks that are cut off, whole walks, heap dumps; {@code passes}, how many searches; {@code
 * busy}, how many pairs of windows; {@code large}; {@code first}.
 */
final class HoldersFork {

    static final String WALK = "HeapWalkOperation";
    private static final String DUMP = "HeapDumper";

    private static final int SAMPLES = 1_000;
    private static final Duration NO_STOP = Duration.ofNanos(1_000);

    /** The stop is at the beginning: what a child does later does not change it. */
    private static final Duration CUT_OFF = Duration.ofMillis(100);

    private static final Duration WHOLE = Duration.ofSeconds(60);
    private static final Duration WHOLE_LARGE = Duration.ofSeconds(300);
    private static final Duration WINDOW = Duration.ofSeconds(3);
    private static final int WORKERS = 2;

    private static final Duration PASS = Duration.ofMillis(10);
    private static final Duration PASSES = Duration.ofSeconds(Effort.of(20, 5));

    private static final int INTERVAL = 64 * 1024;
    private static final int LEAKED = 1_000;
    private static final int LEAKED_BYTES = 4_000;
    private static final List<byte[]> LEAK = new ArrayList<>();

    private static final long MOST_MEMORY = 1_500_000_000;

    private final SafepointLog log;
    private final int megabytes;
    private final VmThread vmThread = VmThread.find();

    private HoldersFork(SafepointLog log, int megabytes) throws IOException {
        this.log = log;
        this.megabytes = megabytes;
    }

    public static void main(String[] arguments) throws Exception {
        HoldersFork fork =
                new HoldersFork(
                        new SafepointLog(Path.of(arguments[0])), Integer.parseInt(arguments[1]));
        fork.fill();
        switch (arguments[2]) {
            case "child" ->
                    fork.forkOften(
                            Integer.parseInt(arguments[3]),
                            Integer.parseInt(arguments[4]),
                            Integer.parseInt(arguments[5]));
            case "passes" -> fork.pass(Integer.parseInt(arguments[3]));
            case "busy" -> fork.workBeside(Integer.parseInt(arguments[3]));
            case "large" -> fork.findLarge();
            case "first" -> fork.findFirst();
            default -> throw new IllegalArgumentException(arguments[2]);
        }
    }

    private void fill() {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(megabytes * 1_000_000L / SAMPLES)
                        .maxOverhead(1)
                        .build());
        SmallObjects.make(megabytes);
        HeapSampler.stop();
    }

    private static HeapSnapshot snapshot() {
        return HeapSampler.snapshot(SnapshotOptions.afterGc());
    }

    private static HeldByOptions options(Duration pause, Duration time) {
        return HeldByOptions.all().maxSamples(2 * SAMPLES).maxPause(pause).maxTime(time);
    }

    private static double residentMegabytes() throws IOException {
        String status = Files.readString(Path.of("/proc/self/status"));
        String line = status.lines().filter(l -> l.startsWith("VmRSS:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024 / 1e6;
    }

    private static void answer(Found found) {
        HeldBy held = found.held();
        Fork.answer("way", held.way().ordinal());
        Fork.answer("share", found.share());
        Fork.answer("time_ms", held.time().toNanos() / 1e6);
        Fork.answer("child_cpu_ms", found.cpu() / 1e3);
        Fork.answer("native_mb", found.bytes() / 1e6);
        Fork.answer("nodes", found.nodes());
        held.notes().forEach(note -> System.err.println(note));
    }

    // ---- The child's way ----

    private void forkOften(int cut, int whole, int dumps) throws Exception {
        HeapSnapshot snapshot = snapshot();
        WaySearch.search(snapshot, options(NO_STOP, CUT_OFF), Way.CHILD);
        log.stops(WALK);
        Fork.answer("resident_mb", residentMegabytes());
        for (int i = 0; i < cut; i++) {
            double cpu = vmThread.cpuMillis();
            double wait = vmThread.waitMillis();
            WaySearch.search(snapshot, options(NO_STOP, CUT_OFF), Way.CHILD);
            Fork.answer("cpu_ms", vmThread.cpuMillis() - cpu);
            Fork.answer("wait_ms", vmThread.waitMillis() - wait);
        }
        answerStops(log.stops(WALK));
        for (int i = 0; i < whole; i++) {
            answer(WaySearch.search(snapshot, options(NO_STOP, WHOLE), Way.CHILD));
        }
        for (int i = 0; i < dumps; i++) {
            dump();
        }
        log.stops(DUMP).forEach(stop -> Fork.answer("dump_ms", stop.total() / 1e6));
    }

    private static void answerStops(List<Stop> stops) {
        for (Stop stop : stops) {
            Fork.answer("reaching_ms", stop.reaching() / 1e6);
            Fork.answer("at_ms", stop.at() / 1e6);
            Fork.answer("stop_ms", stop.total() / 1e6);
        }
    }

    /** The same operation of the JVM as that of {@code jmap -dump:live,format=b}. */
    private static void dump() throws IOException {
        Path folder = Files.createTempDirectory("bench");
        Path file = folder.resolve("heap.hprof");
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpHeap(file.toString(), true);
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /**
     * A collection goes before each window, as before each search: what it does to the young
     * generation slows the workers for a while. Beside a child counts as long as it lives. On JDK
     * 17 garbage counts as memory of a child, so that one in twelve was refused with 1 GiB.
     */
    private void workBeside(int pairs) throws Exception {
        WaySearch.search(snapshot(), options(NO_STOP, CUT_OFF), Way.CHILD);
        try (BusyWorkers workers = new BusyWorkers(WORKERS)) {
            workers.during(WINDOW);
            for (int i = 0; i < pairs; i++) {
                double before = workAfterCollection(workers);
                HeapSnapshot snapshot = snapshot();
                double beside =
                        workers.duringLife(
                                new ChildLife(),
                                () ->
                                        WaySearch.search(
                                                        snapshot,
                                                        options(NO_STOP, WINDOW)
                                                                .maxMemory(MOST_MEMORY),
                                                        Way.CHILD)
                                                .held()
                                                .notes()
                                                .forEach(System.err::println));
                Fork.answer("throughput", 2 * beside / (before + workAfterCollection(workers)));
            }
        }
    }

    private static double workAfterCollection(BusyWorkers workers) throws InterruptedException {
        snapshot();
        return workers.during(WINDOW);
    }

    private void findLarge() throws Exception {
        HeapSnapshot snapshot = snapshot();
        Fork.answer("resident_mb", residentMegabytes());
        try (ChildMemory memory = new ChildMemory()) {
            answer(
                    WaySearch.search(
                            snapshot,
                            options(NO_STOP, WHOLE_LARGE).maxMemory(MOST_MEMORY),
                            Way.CHILD));
            Fork.answer("child_private_mb", memory.most() / 1e6);
        }
    }

    // ---- Others ----

    private void pass(int searches) throws Exception {
        HeapSnapshot snapshot = snapshot();
        log.stops(WALK);
        for (int i = 0; i < searches; i++) {
            double cpu = vmThread.cpuMillis();
            double wait = vmThread.waitMillis();
            answer(WaySearch.search(snapshot, options(PASS, PASSES), Way.PASSES));
            List<Stop> stops = log.stops(WALK);
            Fork.answer("passes", stops.size());
            Fork.answer("cpu_ms", (vmThread.cpuMillis() - cpu) / Math.max(1, stops.size()));
            Fork.answer("wait_ms", (vmThread.waitMillis() - wait) / Math.max(1, stops.size()));
            answerStops(stops);
        }
    }

    /** What a failed assertion does; nothing of the search has been used before. */
    private void findFirst() throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).build());
        for (int i = 0; i < LEAKED; i++) {
            LEAK.add(new byte[LEAKED_BYTES]);
        }
        HeapSampler.stop();
        HeapSnapshot snapshot = snapshot();
        List<HeapSite> sites =
                snapshot.sites().stream()
                        .filter(site -> site.stack().get(0).toString().contains(".findFirst("))
                        .toList();
        long began = System.nanoTime();
        String text = HoldersText.of(snapshot, sites, 1);
        Fork.answer("first_ms", (System.nanoTime() - began) / 1e6);
        Fork.answer("found", text.contains("HoldersFork.LEAK") ? 1 : 0);
        log.stops(WALK).forEach(stop -> Fork.answer("stop_ms", stop.total() / 1e6));
    }
}
