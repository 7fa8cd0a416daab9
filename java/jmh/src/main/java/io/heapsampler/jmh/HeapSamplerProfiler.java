// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.Unavailability;
import io.heapsampler.export.ExportFormat;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.IterationType;

/**
 * A profiler for JMH: bytes and objects per operation, how many bytes survive, and where they are
 * allocated.
 *
 * <pre>{@code
 * java -jar benchmarks.jar -prof 'io.heapsampler.jmh.HeapSamplerProfiler:sites=5;depth=3'
 * }</pre>
 *
 * <p>Results, beside the score:
 *
 * <ul>
 *   <li>{@code heap.alloc.norm}: allocated bytes per operation. The JVM counts them exactly, in all
 *       threads but the one that controls the iterations. They include what JMH itself allocates in
 *       an iteration, a few KB, as {@code gc.alloc.rate.norm} does.
 *   <li>{@code heap.objects.norm}: allocated objects per operation, from the counted bytes and the
 *       sampled mean size of an object. Exact if all objects have the same size, and at interval 0.
 *   <li>{@code heap.surviving.norm}: bytes per operation that were allocated in an iteration and
 *       are alive after a full collection at its end. The last iteration has none of this, since
 *       JMH drops the states of the benchmark in it.
 *   <li>{@code heap.sites}: a table of the allocation sites of all iterations and forks, without
 *       the frames of JMH.
 * </ul>
 *
 * <p>Options are separated by semicolons: {@code interval}, {@code sites}, {@code depth}, {@code
 * html}, {@code pprof}; {@code help} explains them. Samples of the warm-up are discarded.
 *
 * <p>Samples cost time, so scores measured with this profiler are not those of a run without it.
 * Where the JVM cannot be sampled, the benchmark runs nevertheless, with the reason in place of the
 * table.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class HeapSamplerProfiler implements InternalProfiler {

    private static final long FIRST_INTERVAL = 64 * 1024;
    private static final long LEAST_INTERVAL = 1024;
    private static final long GREATEST_INTERVAL = 4 * 1024 * 1024;

    /** Samples of an iteration, if the interval is chosen; each takes some microseconds. */
    private static final double LEAST_SAMPLES = 1_000;

    private static final double MOST_SAMPLES = 10_000;
    private static final double SAMPLES_PER_SECOND = 5_000;

    /**
     * The one that has recordings. Without forks a benchmark that fails ends without a last
     * iteration; then the next profiler closes them.
     */
    private static @Nullable HeapSamplerProfiler recorder;

    private final ProfilerOptions options;
    private long interval;

    /** Of the iteration; also open between iterations, so that threads keep their interval. */
    private @Nullable HeapRecording iteration;

    /** Of all measured iterations, for files. */
    private @Nullable HeapRecording fork;

    /** Why there are no samples. */
    private @Nullable String missing;

    private @Nullable AllocationCount before;
    private long startNanos;
    private int measured;

    /** Makes a profiler with default options, for JMH's list of profilers. */
    public HeapSamplerProfiler() {
        this(ProfilerOptions.defaults());
    }

    /**
     * Makes a profiler. Loads no library, since JMH does this in the JVM that starts the forks.
     *
     * @param initLine the options, such as {@code interval=64k;sites=5}
     * @throws ProfilerException if an option is unknown or its value invalid; the message says what
     *     is allowed
     */
    public HeapSamplerProfiler(String initLine) throws ProfilerException {
        this(ProfilerOptions.parse(initLine));
    }

    private HeapSamplerProfiler(ProfilerOptions options) {
        this.options = options;
        this.interval =
                options.interval() == ProfilerOptions.AUTO ? FIRST_INTERVAL : options.interval();
    }

    @Override
    public String getDescription() {
        return "HeapSampler: allocations and surviving bytes per operation, with their sites";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams params) {
        if (iteration == null && missing == null) {
            takeOver();
            iteration = open();
        }
        boolean isFirst = params.getType() == IterationType.MEASUREMENT && measured == 0;
        if (isFirst && (options.html() != null || options.pprof() != null)) {
            fork = open();
        }
        startNanos = System.nanoTime();
        before = AllocationCount.now();
    }

    @Override
    @SuppressWarnings("rawtypes") // JMH's signature
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams params, IterationResult result) {
        AllocationCount now = AllocationCount.now();
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long counted = now == null || before == null ? -1 : now.since(before);
        long ops = result.getMetadata().getAllOps();
        if (params.getType() == IterationType.WARMUP) {
            if (options.interval() == ProfilerOptions.AUTO && counted >= 0) {
                interval = intervalFor(counted, seconds);
            }
            reopen(true);
            return List.of();
        }
        measured++;
        SiteTable table = tableOf(benchmark, ops, counted, measured == params.getCount());
        return ops == 0 ? List.of() : results(table, ops, counted);
    }

    private static List<Result<?>> results(SiteTable table, long ops, long counted) {
        List<Result<?>> results = new ArrayList<>();
        if (counted >= 0) {
            results.add(perOp("heap.alloc.norm", (double) counted / ops, "B/op"));
        }
        if (table.isMeasured()) {
            results.add(perOp("heap.objects.norm", table.objectsPerOp(), "objects/op"));
        }
        results.add(table);
        return results;
    }

    private static ScalarResult perOp(String label, double value, String unit) {
        return new ScalarResult(label, value, unit, AggregationPolicy.AVG);
    }

    /** Returns the interval for an iteration such as one that allocated these bytes. */
    private static long intervalFor(long bytes, double seconds) {
        double samples =
                Math.min(Math.max(seconds * SAMPLES_PER_SECOND, LEAST_SAMPLES), MOST_SAMPLES);
        double wanted = bytes / samples;
        return (long) Math.min(Math.max(wanted, LEAST_INTERVAL), GREATEST_INTERVAL);
    }

    // ---- Recordings ----

    private void takeOver() {
        HeapSamplerProfiler other = recorder;
        recorder = this;
        if (other != null) {
            other.close();
        }
    }

    /** Returns a recording of all threads; null, with the reason noted, if there can be none. */
    private @Nullable HeapRecording open() {
        Unavailability unavailability = HeapSampler.unavailability();
        if (unavailability != null) {
            missing = unavailability.text();
            return null;
        }
        try {
            return HeapSampler.record(RecordingOptions.builder().interval(interval).build());
        } catch (RuntimeException e) { // refused, or another strategy is in force
            missing = String.valueOf(e.getMessage());
            return null;
        }
    }

    /** Ends the recording of this iteration, after that of the next one has begun. */
    private void reopen(boolean hasNext) {
        HeapRecording last = iteration;
        if (last != null) {
            iteration = hasNext ? open() : null;
            last.close();
        }
    }

    private void close() {
        reopen(false);
        HeapRecording last = fork;
        if (last != null) {
            fork = null;
            last.close();
        }
    }

    private SiteTable tableOf(BenchmarkParams benchmark, long ops, long counted, boolean isLast) {
        HeapRecording recording = iteration;
        if (recording != null) {
            try {
                HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
                SiteTable table = SiteTable.of(snapshot, options, ops, counted, isLast);
                if (isLast) {
                    return table.with(closeAndWriteFiles(benchmark));
                }
                reopen(true);
                return table;
            } catch (RuntimeException e) { // no native memory, for instance
                missing = String.valueOf(e.getMessage());
                close();
            }
        }
        return SiteTable.without(
                "HeapSampler has no sites, objects and surviving bytes: " + missing);
    }

    // ---- Files ----

    /** Closes all first, since writing allocates. */
    private List<String> closeAndWriteFiles(BenchmarkParams benchmark) {
        HeapRecording recording = fork;
        if (recording == null) {
            close();
            return List.of();
        }
        HeapSnapshot snapshot;
        try {
            snapshot = recording.snapshot(SnapshotOptions.afterGc());
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            close();
            return List.of("No files are written, because of " + e);
        }
        close();
        String name = benchmark.id() + "-" + ProcessHandle.current().pid();
        ResultFiles files = new ResultFiles(name, snapshot::writeTo);
        files.write(options.html(), ExportFormat.HTML);
        files.write(options.pprof(), ExportFormat.PPROF);
        return files.lines();
    }
}
