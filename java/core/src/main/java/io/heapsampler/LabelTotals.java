// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Aggregates;
import io.heapsampler.internal.Aggregates.Kind;
import io.heapsampler.internal.LabelSet;
import io.heapsampler.internal.SiteRows;
import io.heapsampler.internal.SnapshotData;
import io.heapsampler.internal.Tally;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The allocations under one label, or under one set of labels, and how much of them is still live.
 * See {@link HeapLabels} for how code gets its labels.
 *
 * <pre>{@code
 * for (LabelTotals endpoint : snapshot.labels("endpoint")) {
 *     System.out.println(endpoint.value() + ": " + endpoint.live().bytes());
 * }
 * }</pre>
 *
 * <p>Two entries of a list may stand for no label of their own. {@link #isNone()} is true for
 * samples without the label. {@link #isOther()} is true for samples whose set of labels found no
 * room in the tables of the sampler, whichever labels it had.
 *
 * <p>An entry refers to the data of its snapshot, as a {@link HeapSite} does. Keep the figures and
 * not the entry where the snapshot is to be collected.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class LabelTotals implements HeapFigures {

    private static final Comparator<LabelTotals> MOST_ALLOCATED_FIRST =
            Comparator.comparingDouble(LabelTotals::allocatedBytes)
                    .reversed()
                    .thenComparing(LabelTotals::value);

    private final LabelSet set;
    private final boolean isOfKey;

    /** In the order of {@link Kind}. */
    private final Tally[] sums;

    private final int index;
    private final SnapshotData data;

    /** The rows of SITES under these labels. */
    private final int[] rows;

    private LabelTotals(
            LabelSet set, boolean isOfKey, Tally[] sums, int index, SnapshotData data, int[] rows) {
        this.set = set;
        this.isOfKey = isOfKey;
        this.sums = sums;
        this.index = index;
        this.data = data;
        this.rows = rows;
    }

    /**
     * Returns the figures of some rows by their labels, most allocated bytes first.
     *
     * @param key by the values of this key; null for whole sets
     */
    static List<LabelTotals> of(SnapshotData data, int[] rows, @Nullable String key) {
        Map<LabelSet, Integer> groups = new HashMap<>();
        int[] groupOf = new int[rows.length];
        for (int i = 0; i < rows.length; i++) {
            LabelSet whole = data.rows().labels(rows[i]);
            LabelSet group = key == null ? whole : whole.only(key);
            Integer known = groups.putIfAbsent(group, groups.size());
            groupOf[i] = known == null ? groups.size() - 1 : known;
        }
        Tally[] sums = sums(data.aggregates(), rows, groupOf, groups.size());
        int[][] split = split(rows, groupOf, groups.size());
        List<LabelTotals> totals = new ArrayList<>(groups.size());
        groups.forEach(
                (set, n) -> totals.add(new LabelTotals(set, key != null, sums, n, data, split[n])));
        totals.sort(MOST_ALLOCATED_FIRST);
        return List.copyOf(totals);
    }

    private static Tally[] sums(Aggregates all, int[] rows, int[] groupOf, int groups) {
        Kind[] kinds = Kind.values();
        Tally[] sums = new Tally[kinds.length];
        for (Kind kind : kinds) {
            Tally sum = new Tally(groups);
            for (int i = 0; i < rows.length; i++) {
                sum.add(groupOf[i], all.byRow(kind), rows[i]);
            }
            sums[kind.ordinal()] = sum;
        }
        return sums;
    }

    /** Returns the rows of each group. */
    private static int[][] split(int[] rows, int[] groupOf, int groups) {
        int[] left = new int[groups];
        for (int group : groupOf) {
            left[group]++;
        }
        int[][] split = Arrays.stream(left).mapToObj(int[]::new).toArray(int[][]::new);
        for (int i = 0; i < rows.length; i++) {
            int[] own = split[groupOf[i]];
            own[own.length - left[groupOf[i]]--] = rows[i];
        }
        return split;
    }

    /** Returns the keys that some rows have, sorted. */
    static List<String> keys(SiteRows rows) {
        return rows.sets()
                .flatMap(set -> set.labels().keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * {@return the value of the key; for a whole set all labels as {@code key=value}, separated by
     * commas; {@code (none)} if {@link #isNone()}; {@code (other)} if {@link #isOther()}}
     */
    public String value() {
        return isOfKey && !set.labels().isEmpty()
                ? set.labels().values().iterator().next()
                : set.toString();
    }

    /**
     * {@return the labels of these figures, sorted by key: for figures of one key, that key with
     * its value; unmodifiable; empty if {@link #isNone()} or {@link #isOther()}}
     */
    public Map<String, String> labels() {
        return set.labels();
    }

    /** {@return whether these are the samples that do not have the key, or no labels at all} */
    public boolean isNone() {
        return set.labels().isEmpty() && !set.isOther();
    }

    /**
     * {@return whether these are the samples whose set of labels found no room; see {@link
     * DropCause#LABELS_FULL}}
     */
    public boolean isOther() {
        return set.isOther();
    }

    private double allocatedBytes() {
        return sums[Kind.ALLOCATED.ordinal()].bytes(index);
    }

    @Override
    public HeapAmount allocated() {
        return sums[Kind.ALLOCATED.ordinal()].amount(index);
    }

    @Override
    public HeapAmount live() {
        return sums[Kind.LIVE.ordinal()].amount(index);
    }

    @Override
    public HeapAmount unconfirmed() {
        return sums[Kind.UNCONFIRMED.ordinal()].amount(index);
    }

    /**
     * {@return the ages of the objects under these labels not known to be dead; see {@link
     * HeapSite#ages()}}
     */
    public HeapAges ages() {
        BitSet own = new BitSet();
        Arrays.stream(rows).forEach(own::set);
        IntStream samples =
                own.stream()
                        .map(data.rows()::site)
                        .distinct()
                        .flatMap(site -> Arrays.stream(data.samplesOfSite(site)))
                        .filter(i -> own.get(data.samples.row(i)));
        return HeapAges.ofLiving(data, samples);
    }

    /**
     * {@return the lifetimes of the dead objects under these labels; see {@link
     * HeapSite#lifetimes()}}
     */
    public HeapAges lifetimes() {
        return HeapAges.ofDead(data, rows);
    }

    @Override
    public String toString() {
        return value() + ": allocated " + allocated().bytes() + ", live " + live().bytes();
    }
}
