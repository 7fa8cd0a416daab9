// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.SampleCost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Samples more often for some seconds, in a recording of its own, if the usual interval shows too
 * little: for findings about small objects (owners of memory outside of the heap, class loaders),
 * and for a leak whose sites have few samples or explain less than half of it.
 *
 * <p>Of a leak, a look sees only objects that were born within it. They are evidence if they live
 * on after a collection of the old generation that began after the last of them was born. The look
 * waits for that collection, and samples nothing meanwhile; another look may begin.
 *
 * <p>The budget is a share of one processor. It limits the samples per second by the measured cost
 * of a sample, and so the interval. A look that exceeds it ends early. Safe for use by many
 * threads.
 */
final class CloserLook implements AutoCloseable {

    static final double BUDGET = 0.02;

    static final int LEAST_INTERVAL = 8 * 1024;
    static final long LOOK_MILLIS = 10_000;

    /** A look at owners goes on for as long while no owner has been sampled often enough. */
    static final long OWNERS_MILLIS = 4 * LOOK_MILLIS;

    /** The next look at the same finding is this much later at the earliest. */
    static final long APART_MILLIS = 600_000;

    /** From the beginning of a look at a leak: after that, no collection is waited for. */
    static final long WAIT_MILLIS = 120_000;

    /** A look at owners with a larger interval samples only classes that may be owners. */
    private static final int FINE_INTERVAL = 1024;

    /** Where no sample has been measured yet; the least where most of them are not wanted. */
    private static final double USUAL_NANOS = 3_000;

    private static final int ENOUGH_TO_MEASURE = 100;

    private static final int NOTES = 4;

    private static final String LEAK = "leak.growth";

    /** About owners of memory outside of the heap. */
    private static final Set<String> OF_OWNERS = Set.of("direct.leak", "native.unaccounted");

    private static final Set<String> OF_LOADERS = Set.of("metaspace.leak", "class.churn");

    /** A look that is under way. */
    private final class Look {
        final String about;
        private final boolean isLeak;
        private final double bytesPerSecond;
        private final long most;
        private boolean isNarrow;
        private long length = LOOK_MILLIS;
        HeapRecording recording;
        long begin;
        long interval;
        private long samplesBefore;
        private SampleCost costBefore;

        /** How long it has sampled; 0 while it does. */
        long sampledMillis;

        Look(String about, double bytesPerSecond, long now) {
            this.about = about;
            this.bytesPerSecond = bytesPerSecond;
            isLeak = about.equals(LEAK);
            most = OF_OWNERS.contains(about) ? OWNERS_MILLIS : LOOK_MILLIS;
            SamplerStatus before = HeapSampler.status();
            interval = affordable(nanosPerSample(before.samples(), before.meanSampleCost()));
            samplesBefore = before.samples();
            costBefore = SampleCost.now();
            begin = now;
            recording = record();
        }

        private long affordable(double nanos) {
            double size = sites.totals().meanSize();
            long least = isLeak ? LEAST_INTERVAL : 0;
            double cost = isNarrow ? Math.max(nanos, USUAL_NANOS) : nanos; // The JVM's part of it.
            return Math.max(interval(bytesPerSecond, size, cost, budget), least);
        }

        private HeapRecording record() {
            isNarrow |= OF_OWNERS.contains(about) && interval > FINE_INTERVAL;
            RecordingOptions.Builder options =
                    RecordingOptions.builder().interval(interval).duration(Duration.ofMillis(most));
            if (isNarrow) {
                KnownClasses.OWNERS.forEach(options::className);
                KnownClasses.ownerPackages().forEach(options::packageName);
            }
            return opener.apply(options.build());
        }

        /** Stops when it has sampled long enough, or too much. */
        void advance(long now) {
            long millis = Math.max(now - begin, 1);
            if (sampledMillis > 0) {
                return;
            }
            long all = HeapSampler.status().samples();
            SampleCost cost = SampleCost.now();
            long samples = all - samplesBefore;
            double nanos = cost.since(costBefore);
            if (millis >= most || isTooMuch(samples, nanos, (double) millis, budget)) {
                sampledMillis = Math.min(millis, most);
                recording.stop();
                return;
            }
            long measured = cost.measured() - costBefore.measured();
            if (measured >= ENOUGH_TO_MEASURE && millis < LOOK_MILLIS / 2) {
                refine(Math.max(nanos, 1), all, cost, now);
            }
        }

        /**
         * Samples cost less when there are many, or when most of them are of classes that are not
         * wanted and need no stack: begins anew if that pays for twice as many.
         */
        private void refine(double nanos, long samples, SampleCost cost, long now) {
            long closer = affordable(nanos);
            if (closer <= interval / 2) {
                recording.close();
                interval = closer;
                begin = now;
                samplesBefore = samples;
                costBefore = cost;
                recording = record();
            }
        }
    }

    private final double budget;
    private final SiteBook sites;
    private final Function<RecordingOptions, HeapRecording> opener;
    private final List<String> notes = new ArrayList<>();
    private final Map<String, Long> looked = new HashMap<>();
    private final List<Look> open = new ArrayList<>();
    private boolean closed;

    CloserLook(double budget, SiteBook sites, Function<RecordingOptions, HeapRecording> opener) {
        this.budget = budget;
        this.sites = sites;
        this.opener = opener;
    }

    /**
     * Goes on with the open looks, and opens one if a finding requires it and none samples.
     *
     * @param timeline shows how much the application allocates, and the collections
     * @param now by the clock of the timeline
     */
    synchronized void update(List<Finding> findings, Timeline timeline, long now) {
        boolean isSampling = open.stream().anyMatch(look -> look.sampledMillis == 0);
        open.removeIf(look -> isOver(look, timeline, now));
        for (int i = 0; !isSampling && !closed && budget > 0 && i < findings.size(); i++) {
            if (isWanted(findings.get(i), now)) {
                begin(findings.get(i).id(), bytesPerSecond(timeline.ticks()), now);
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
        String id = finding.id();
        boolean isSmall = OF_OWNERS.contains(id) || OF_LOADERS.contains(id);
        return (isSmall || (id.equals(LEAK) && isUnexplained(finding)))
                && now - looked.getOrDefault(id, now - APART_MILLIS) >= APART_MILLIS;
    }

    /** No site has enough samples, or those that are named explain less than half. */
    private static boolean isUnexplained(Finding finding) {
        boolean isVague = true; // By loops: there may be no metaspace left to link a lambda.
        for (SiteEvidence site : finding.sites()) {
            isVague &= site.estimate().hasTooFewSamples();
        }
        for (Evidence each : finding.evidence()) {
            isVague |= each.name().equals("sites.explained") && each.value() < 0.5;
        }
        return isVague;
    }

    private void begin(String id, double bytesPerSecond, long now) {
        looked.put(id, now);
        if (HeapSampler.status().strategy().kind() != SamplingStrategy.Kind.BYTES) {
            note(TableRule.note("look.not", id, "samples are not chosen by bytes."));
            return;
        }
        try {
            open.add(new Look(id, bytesPerSecond, now));
        } catch (RuntimeException e) {
            note(TableRule.note("look.not", id, Text.reason(e)));
        }
    }

    /** What a sample has cost, once there were enough of them to know it. */
    static double nanosPerSample(long samples, Duration mean) {
        return samples < ENOUGH_TO_MEASURE ? USUAL_NANOS : Math.max(mean.toNanos(), 1);
    }

    /**
     * The least interval T with which the samples of a second fit into the budget; 0 if it pays for
     * every object. An object of s bytes is sampled with a chance of 1 − e^(−s/T), so n objects of
     * any sizes give n (1 − e^(−m/T)) samples at most, with the mean m of their sizes.
     *
     * @param bytesPerSecond 0 if it is not known
     * @param meanSize 0 if it is not known
     */
    static long interval(
            double bytesPerSecond, double meanSize, double nanosPerSample, double budget) {
        if (bytesPerSecond <= 0) {
            return LEAST_INTERVAL;
        }
        double affordable = 1e9 * budget / nanosPerSample;
        double share = affordable * meanSize / bytesPerSecond;
        double bytes =
                share >= 1
                        ? 0
                        : share > 0 ? -meanSize / Math.log1p(-share) : bytesPerSecond / affordable;
        return (long) Math.min(bytes, Integer.MAX_VALUE / 2.0);
    }

    /** Goes on with the looks that sample, which {@link #update} does as well; once a second. */
    synchronized void advance(long now) {
        for (Look look : open) {
            try {
                look.advance(now);
            } catch (RuntimeException e) {
                look.sampledMillis = 1; // It is lost, which the next update reports.
            }
        }
    }

    /** Goes on with a look; true if it has ended. */
    private boolean isOver(Look look, Timeline timeline, long now) {
        boolean isLeak = look.isLeak;
        try {
            look.advance(now);
            boolean isStopped = look.sampledMillis > 0;
            if (!isStopped && now - look.begin < look.length) {
                return false;
            }
            boolean isProven = LiveSet.of(timeline).beginOf(1) >= look.begin + look.sampledMillis;
            if (isLeak && !isProven && now - look.begin < WAIT_MILLIS) {
                return false;
            }
            HeapSnapshot snapshot = look.recording.snapshot();
            String use = "";
            if (!isLeak) {
                sites.addCloser(snapshot, OF_OWNERS.contains(look.about));
                if (!isStopped && !sites.hasOwner()) {
                    look.length *= 2;
                    return false;
                }
                look.sampledMillis = Math.min(now - look.begin, look.most);
            } else if (isProven) {
                use = ", " + sites.growth.addBorn(snapshot, look.sampledMillis) + " of them live";
            } else {
                use = TableRule.note("look.vain");
            }
            long samples = snapshot.totals().allocated().samples();
            String count = Text.count(samples, "sample", "samples");
            String span = Text.span(look.sampledMillis);
            String interval = Text.bytes(look.interval);
            note(TableRule.note("look", look.about, interval, span, count, use));
        } catch (RuntimeException | VirtualMachineError | LinkageError e) {
            // Of the last two: memory has run out.
            note(TableRule.note("look.lost", look.about, Text.reason(e)));
        }
        look.recording.close();
        return true;
    }

    /** Twice the budget, and not in its first moments. */
    static boolean isTooMuch(long samples, double nanosPerSample, double millis, double budget) {
        return millis >= 2000 && samples * nanosPerSample / 1e6 > 2 * budget * millis;
    }

    private void note(String text) {
        notes.remove(text);
        notes.add(text);
        if (notes.size() > NOTES) {
            notes.remove(0);
        }
    }

    /** Returns one note for each look and each refused look, oldest first. */
    synchronized List<String> notes() {
        List<String> all = new ArrayList<>(notes);
        for (Look look : open) {
            String interval = Text.bytes(look.interval);
            all.add(TableRule.note("look.open", look.about, interval, Text.span(look.length)));
        }
        return all;
    }

    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(look -> look.recording.close());
        open.clear();
    }
}
