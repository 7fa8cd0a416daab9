// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy.Way;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.Unresolved;
import io.heapsampler.WaySearch;
import io.heapsampler.WaySearch.Found;
import io.heapsampler.WaySearch.Target;
import io.heapsampler.bench.SafepointLog.Stop;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * An application that works while holders of all its live samples are searched. Arguments: the log
 * of safepoints; the application; seconds before; the ways.
 */
final class ResolvedFork {

    private static final int INTERVAL = 16 * 1024;
    private static final int MOST_SAMPLES = 20_000;
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(10);
    private static final Duration TIME = Duration.ofSeconds(30);

    private final SafepointLog log;

    private ResolvedFork(SafepointLog log) {
        this.log = log;
    }

    public static void main(String[] arguments) throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).maxOverhead(1).build());
        String application = arguments[1];
        Callable<Workload> work =
                application.equals(ResolvedFigures.SPRING)
                        ? SpringWork::new
                        : Application.of(application)::create;
        Workload workload = work.call();
        Thread worker =
                new Thread(
                        () -> {
                            try {
                                while (true) {
                                    workload.work();
                                }
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        "worker");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(Integer.parseInt(arguments[2]) * 1_000L);
        ResolvedFork fork = new ResolvedFork(new SafepointLog(Path.of(arguments[0])));
        for (String way : List.of(arguments).subList(3, arguments.length)) {
            fork.search(Way.valueOf(way));
        }
        if (!worker.isAlive()) {
            throw new IllegalStateException("the work ended");
        }
        System.exit(0);
    }

    private void search(Way way) throws Exception {
        log.stops(HoldersFork.WALK);
        HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
        double used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6;
        HeldByOptions options =
                HeldByOptions.all()
                        .maxSamples(MOST_SAMPLES)
                        .maxPause(way == Way.ONE_STOP ? LONG : SHORT)
                        .maxTime(TIME);
        Found found = WaySearch.search(snapshot, options, way);
        List<Stop> stops = log.stops(HoldersFork.WALK);
        Set<List<Long>> living =
                WaySearch.objects(HeapSampler.snapshot(SnapshotOptions.afterGc()));
        String name = ResolvedFigures.label(way) + "_";
        Fork.answer(name + "samples", found.targets().size());
        Fork.answer(name + "megabytes", used);
        Fork.answer(name + "nodes", found.nodes());
        Fork.answer(name + "time_ms", found.held().time().toNanos() / 1e6);
        Fork.answer(name + "stops", stops.size());
        stops.forEach(stop -> Fork.answer(name + "stop_ms", stop.total() / 1e6));
        double all = bytes(found.targets(), living, -1, false);
        double alive = bytes(found.targets(), living, -1, true);
        double held = bytes(found.targets(), living, 0, false);
        double gone = all - alive - (held - bytes(found.targets(), living, 0, true));
        Fork.answer(name + "share_of_all", held / all);
        Fork.answer(name + "share", held / (all - gone));
        for (Unresolved cause : Unresolved.values()) {
            double missing = bytes(found.targets(), living, 1 + cause.ordinal(), true);
            Fork.answer(name + ResolvedFigures.label(cause), missing / (all - gone));
        }
        found.held().notes().forEach(note -> System.err.println(note));
    }

    /** Of samples with that outcome, -1 for all; of those that are still alive only, or all. */
    private static double bytes(
            List<Target> targets, Set<List<Long>> living, int outcome, boolean isAlive) {
        return targets.stream()
                .filter(target -> outcome < 0 || target.outcome() == outcome)
                .filter(target -> !isAlive || living.contains(target.object()))
                .mapToDouble(Target::bytes)
                .sum();
    }
}
