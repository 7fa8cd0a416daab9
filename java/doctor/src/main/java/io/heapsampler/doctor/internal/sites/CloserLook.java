// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Samples more often for some seconds if a finding is about objects that are too small for the
 * usual interval: owners of memory outside of the heap, and class loaders. A separate recording
 * does so. It leaves the figures of the process-wide sampler unchanged.
 *
 * <p>The budget is a share of one processor. It limits the samples per second by the measured cost
 * of a sample, and so the interval. If the look exceeds its budget, it ends early. Safe for use by
 * many threads.
 */
public final class CloserLook implements AutoCloseable {

    static final int LEAST_INTERVAL = 8 * 1024;
    static final long LOOK_MILLIS = 10_000;

    /** The next look at the same finding is this much later at the earliest. */
    static final long APART_MILLIS = 600_000;

    /** Where no sample has been measured yet. */
    private static final double USUAL_NANOS = 3_000;

    private static final int NOTES = 4;

    /** What is small, and whether only certain classes are of interest. */
    private static final Set<String> OF_OWNERS = Set.of("direct.leak", "native.unaccounted");

    private static final Set<String> OF_LOADERS = Set.of("metaspace.leak", "class.churn");

    private final double budget;
    private final SiteBook sites;
    private final Function<RecordingOptions, HeapRecording> opener;
    private final List<String> notes = new ArrayList<>();
    private final Map<String, Long> looked = new HashMap<>();

    private @Nullable HeapRecording recording;
    private boolean closed;
    private String about = "";
    private long begin;
    private long interval;
    private long samplesAtBegin;

    public CloserLook(double budget, SiteBook sites) {
        this(budget, sites, HeapSampler::record);
    }

    /** With a way to open recordings, for tests. */
    public CloserLook(
            double budget, SiteBook sites, Function<RecordingOptions, HeapRecording> opener) {
        this.budget = budget;
        this.sites = sites;
        this.opener = opener;
    }

    /**
     * Opens a look if a finding requires one, and ends the open one when its time is over.
     *
     * @param findings the present findings
     * @param timeline shows how much the application allocates
     * @param now milliseconds since 1970
     */
    public synchronized void update(List<Finding> findings, Timeline timeline, long now) {
        if (closed) {
            return;
        }
        HeapRecording open = recording;
        if (open != null) {
            endWhenDue(open, now);
            return;
        }
        for (Finding finding : findings) {
            if (isWanted(finding, now)) {
                begin(finding.id(), bytesPerSecond(timeline.ticks()), now);
                return;
            }
        }
    }

    /** By the last two ticks that contain it; 0 if there are none. */
    static double bytesPerSecond(List<Tick> all) {
        List<Tick> ticks = all.stream().filter(tick -> tick.allocated() >= 0).toList();
        if (ticks.size() < 2) {
            return 0;
        }
        Tick before = ticks.get(ticks.size() - 2);
        Tick last = ticks.get(ticks.size() - 1);
        double millis = Math.max(last.atMillis() - before.atMillis(), 1);
        return Math.max(1000.0 * (last.allocated() - before.allocated()) / millis, 0);
    }

    private boolean isWanted(Finding finding, long now) {
        boolean isSmall = OF_OWNERS.contains(finding.id()) || OF_LOADERS.contains(finding.id());
        Long last = looked.get(finding.id());
        return budget > 0 && isSmall && (last == null || now - last >= APART_MILLIS);
    }

    private void begin(String id, double bytesPerSecond, long now) {
        looked.put(id, now);
        SamplerStatus status = HeapSampler.status();
        if (status.strategy().kind() != SamplingStrategy.Kind.BYTES) {
            note("No closer look at " + id + ": samples are not chosen by bytes.");
            return;
        }
        double nanos = nanosPerSample(status.samples(), status.meanSampleCost());
        interval = interval(bytesPerSecond, nanos, budget);
        try {
            recording = opener.apply(options(id));
        } catch (HeapSamplingUnavailableException | IllegalStateException e) {
            note("No closer look at " + id + ": " + e.getMessage());
            return;
        }
        about = id;
        begin = now;
        samplesAtBegin = status.samples();
    }

    /** What a sample has cost, once there were enough of them to know it. */
    static double nanosPerSample(long samples, Duration mean) {
        return samples < 100 ? USUAL_NANOS : Math.max(mean.toNanos(), 1);
    }

    /** The least interval with which the samples of a second fit into the budget. */
    static long interval(double bytesPerSecond, double nanosPerSample, double budget) {
        double affordable = bytesPerSecond * nanosPerSample / 1e9 / budget;
        return (long) Math.max(LEAST_INTERVAL, Math.min(affordable, Integer.MAX_VALUE / 2.0));
    }

    private RecordingOptions options(String id) {
        RecordingOptions.Builder options =
                RecordingOptions.builder()
                        .interval(interval)
                        .duration(Duration.ofMillis(LOOK_MILLIS));
        if (OF_OWNERS.contains(id)) {
            OffHeap.classNames().forEach(options::className);
        }
        return options.build();
    }

    private void endWhenDue(HeapRecording open, long now) {
        SamplerStatus status = HeapSampler.status();
        double millis = Math.max(now - begin, 1);
        boolean isTooMuch =
                isTooMuch(
                        status.samples() - samplesAtBegin,
                        (double) status.meanSampleCost().toNanos(),
                        millis,
                        budget);
        if (millis >= LOOK_MILLIS || isTooMuch) {
            end(open, millis, isTooMuch);
        }
    }

    /** Twice the budget, and not in its first moments. */
    static boolean isTooMuch(long samples, double nanosPerSample, double millis, double budget) {
        return millis >= 2000 && samples * nanosPerSample / 1e6 > 2 * budget * millis;
    }

    private void end(HeapRecording open, double millis, boolean isTooMuch) {
        recording = null;
        try (open) {
            HeapSnapshot snapshot = open.snapshot();
            sites.addCloser(snapshot);
            note(
                    "A closer look at "
                            + about
                            + ": every "
                            + Text.bytes(interval)
                            + " were sampled for "
                            + Text.millis(millis)
                            + (OF_OWNERS.contains(about)
                                    ? ", of classes that own memory outside of the heap"
                                    : "")
                            + "; "
                            + Text.count(
                                    snapshot.totals().allocated().samples(), "sample", "samples")
                            + (isTooMuch ? ". It ended early: it cost more than it may." : "."));
        } catch (HeapSamplingUnavailableException | IllegalStateException e) {
            note("The closer look at " + about + " was lost: " + e.getMessage());
        }
    }

    private void note(String text) {
        notes.remove(text);
        notes.add(text);
        if (notes.size() > NOTES) {
            notes.remove(0);
        }
    }

    /** Returns one note for each look and each refused look, oldest first. */
    public synchronized List<String> notes() {
        List<String> all = new ArrayList<>(notes);
        if (recording != null) {
            all.add(
                    "A closer look at "
                            + about
                            + " is under way: every "
                            + Text.bytes(interval)
                            + " are sampled for "
                            + Text.millis((double) LOOK_MILLIS)
                            + ".");
        }
        return all;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (recording != null) {
            recording.close();
            recording = null;
        }
    }
}
