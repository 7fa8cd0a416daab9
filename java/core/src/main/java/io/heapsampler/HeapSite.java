// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Aggregates.Kind;
import io.heapsampler.internal.LabelText;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.SnapshotData;
import io.heapsampler.internal.Tally;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An allocation site: a stack and the class of the objects allocated there.
 *
 * <pre>{@code
 * for (HeapSite site : snapshot.topByLive(10)) {
 *     System.out.println(site.live().bytes() + " " + site.className());
 *     site.stack().stream()
 *             .filter(frame -> !frame.isImplementation())
 *             .limit(3)
 *             .forEach(frame -> System.out.println("    at " + frame));
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. Histograms are created on request.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapSite implements HeapFigures {

    private final HeapSnapshot snapshot;
    private final int index;
    private final List<HeapFrame> stack;

    HeapSite(HeapSnapshot snapshot, int index, List<HeapFrame> stack) {
        this.snapshot = snapshot;
        this.index = index;
        this.stack = stack;
    }

    HeapSnapshot snapshot() {
        return snapshot;
    }

    /** Returns the position among the sites of the snapshot. */
    int number() {
        return index;
    }

    /** Returns those of which there is most. */
    static List<HeapSite> top(List<HeapSite> sites, int limit, Tally figures) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must be 0 or more: " + limit);
        }
        return IntStream.range(0, sites.size())
                .filter(i -> figures.bytes(i) > 0)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer i) -> figures.bytes(i)).reversed())
                .limit(limit)
                .map(sites::get)
                .toList();
    }

    private SnapshotData data() {
        return snapshot.data();
    }

    /**
     * {@return the stack, leaf first; unmodifiable; empty if the JVM gave none, and for {@link
     * #isOther() "(other)"}}
     */
    public List<HeapFrame> stack() {
        return stack;
    }

    /**
     * Returns the stack as numbers, for programs that go through the stacks of many sites: whatever
     * they make of a frame, they need make once only.
     *
     * @return positions in {@link HeapSnapshot#frames()}, leaf first, as in {@link #stack()}; a new
     *     array
     */
    public int[] frameNumbers() {
        return data().siteFrames(index);
    }

    /**
     * {@return the Java name of the class, such as {@code byte[]} or {@code
     * java.util.HashMap$Node}; {@code (other)} if {@link #isOther()}; {@code (unknown)} if there
     * was no room for its name}
     */
    public String className() {
        return data().siteClassName(index);
    }

    /**
     * {@return whether this is the site into which all fall that found a table full; see {@link
     * HeapSnapshot#dropped()}}
     */
    public boolean isOther() {
        return data().siteIsOther(index);
    }

    /**
     * {@return whether the stack was deeper than {@link SamplerOptions#maxDepth()}; true if frames
     * at the far end of {@link #stack()} are missing}
     */
    public boolean isTruncated() {
        return data().siteTruncated(index);
    }

    /**
     * Returns the figures of this site per value of a label, as {@link HeapSnapshot#labels(String)}
     * does.
     *
     * @param key the key of the label
     * @return each value that was sampled here, most allocated bytes first
     * @throws IllegalArgumentException if no label can have such a key; see {@link HeapLabels#of}
     */
    public List<LabelTotals> labels(String key) {
        LabelText.checkKey(key);
        return LabelTotals.of(data(), data().rows().ofSite(index), key);
    }

    /**
     * {@return the figures of this site per set of labels, as {@link HeapSnapshot#labels()} does:
     * most allocated bytes first}
     */
    public List<LabelTotals> labels() {
        return LabelTotals.of(data(), data().rows().ofSite(index), null);
    }

    /**
     * Returns traces in which objects were allocated here: up to three for each set of labels, the
     * last ones of different traces. Samples have a trace if their thread has a context of
     * OpenTelemetry that HeapSampler can read, and no scope of {@link HeapLabels} is open.
     *
     * @return the examples of one set of labels after the other, the oldest first; unmodifiable
     */
    public List<TraceExample> examples() {
        return TraceExample.of(data(), index);
    }

    @Override
    public HeapAmount allocated() {
        return data().aggregates().bySite(Kind.ALLOCATED).amount(index);
    }

    @Override
    public HeapAmount live() {
        return data().aggregates().bySite(Kind.LIVE).amount(index);
    }

    @Override
    public HeapAmount unconfirmed() {
        return data().aggregates().bySite(Kind.UNCONFIRMED).amount(index);
    }

    /**
     * {@return the samples that are still kept: those alive, then those of the dead that are in the
     * ring}
     */
    public List<HeapSample> samples() {
        return SampleList.of(snapshot, data().samplesOfSite(index));
    }

    /**
     * {@return how old the objects of this site are that are {@link Liveness#LIVE} or {@link
     * Liveness#UNCONFIRMED}, at the time of the snapshot}
     */
    public HeapAges ages() {
        return ages(false);
    }

    private HeapAges ages(boolean isConfirmed) {
        SampleColumns samples = data().samples;
        int live = Liveness.LIVE.ordinal();
        return HeapAges.ofLiving(
                data(),
                Arrays.stream(data().samplesOfSite(index))
                        .filter(i -> !isConfirmed || samples.liveness(i) == live));
    }

    /**
     * {@return how old the objects of this site became that have died since the recording opened or
     * was reset: estimated objects by age at death; {@link HeapAges#samples()} is the number of
     * sampled deaths} A death lies between the last look that found the object alive and the one
     * that found it dead; the age counted here is that at the middle of the two.
     */
    public HeapAges lifetimes() {
        return HeapAges.ofDead(data(), data().rows().ofSite(index));
    }

    /**
     * Returns how long the objects of this site live, those that are still alive taken into
     * account.
     *
     * @param unit time or collections
     * @return the share of objects that reach each age; from those {@link Liveness#LIVE} and those
     *     in {@link #lifetimes()}
     */
    public Survival survival(HeapHistogram.Unit unit) {
        HeapAges alive = ages(true);
        HeapAges died = lifetimes();
        long samples = alive.samples() + died.samples();
        return unit == HeapHistogram.Unit.MILLISECONDS
                ? Survival.of(died.byTime(), alive.byTime(), samples)
                : Survival.of(died.byCollections(), alive.byCollections(), samples);
    }

    @Override
    public String toString() {
        String at = stack.isEmpty() ? "" : " at " + stack.get(0);
        return className() + at + ": allocated " + allocated().bytes() + ", live " + live().bytes();
    }
}
