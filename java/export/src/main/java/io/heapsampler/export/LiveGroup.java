// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.WrittenLabels;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** The live objects of one site, of one thread, of one age and of one set of labels. */
final class LiveGroup {

    /** The minimum age in each bucket by time of a {@code HeapHistogram}, in milliseconds. */
    static final long[] AGES =
            IntStream.range(0, 32).mapToLong(i -> i == 0 ? 0 : 1L << (i - 1)).toArray();

    /** What makes samples fall into one group. */
    private record Key(String thread, int bucket, WrittenLabels labels) {}

    private final String thread;
    private final long ageMillis;
    private final WrittenLabels labels;
    private double objects;
    private double bytes;
    private long sampledBytes;
    private long samples;

    private LiveGroup(Key key) {
        this.thread = key.thread;
        this.ageMillis = AGES[key.bucket];
        this.labels = key.labels;
    }

    /** Returns the groups of a site in the order in which their samples come. */
    static List<LiveGroup> of(
            HeapSite site,
            HeapSnapshot snapshot,
            UnaryOperator<String> threadNames,
            LabelChoice labels) {
        Map<Key, LiveGroup> groups = new LinkedHashMap<>();
        for (HeapSample sample : site.samples()) {
            if (sample.liveness() == Liveness.LIVE) {
                String thread = threadNames.apply(sample.threadName());
                long age = ChronoUnit.MILLIS.between(sample.allocatedAt(), snapshot.takenAt());
                Key key = new Key(thread, bucket(age), labels.of(sample));
                groups.computeIfAbsent(key, LiveGroup::new).add(sample);
            }
        }
        Collection<LiveGroup> found = groups.values();
        return found.isEmpty() ? List.of() : new ArrayList<>(found);
    }

    /** The bucket of an age in milliseconds; a negative age counts as 0. */
    private static int bucket(long millis) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(millis, 0));
        return Math.min(bits, AGES.length - 1);
    }

    private void add(HeapSample sample) {
        double weight = sample.weight();
        objects += weight;
        bytes += weight * sample.size();
        sampledBytes += sample.size();
        samples++;
    }

    String thread() {
        return thread;
    }

    WrittenLabels labels() {
        return labels;
    }

    /** The minimum age of the bucket. */
    long ageMillis() {
        return ageMillis;
    }

    double objects() {
        return objects;
    }

    double bytes() {
        return bytes;
    }

    long typicalSize() {
        return typicalSize(bytes, objects, sampledBytes, samples);
    }

    /**
     * Returns the size of the objects. If sizes differ, it is their mean, rounded down to a power
     * of two, so that it is the same in the next snapshot: receivers compare samples with equal
     * labels.
     */
    static long typicalSize(HeapAmount amount) {
        return typicalSize(
                amount.bytes().value(),
                amount.objects().value(),
                amount.sampledBytes(),
                amount.samples());
    }

    private static long typicalSize(double bytes, double objects, long sampledBytes, long samples) {
        if (!(objects > 0) || samples <= 0) {
            return 0;
        }
        double mean = bytes / objects;
        double ofSamples = (double) sampledBytes / samples;
        return Math.abs(mean - ofSamples) < 1e-6 * mean
                ? Math.round(mean)
                : Long.highestOneBit(Math.round(mean));
    }
}
