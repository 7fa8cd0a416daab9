// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.FilteredBlock;
import io.heapsampler.internal.LabelSet;
import io.heapsampler.internal.LabelText;
import io.heapsampler.internal.SiteRows;
import io.heapsampler.internal.SnapshotData;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects samples of a snapshot for {@link HeapSnapshot#filter}.
 *
 * <pre>{@code
 * HeapSnapshot orders = snapshot.filter(SampleFilter.label("endpoint", "GET /orders"));
 * orders.topByLive(5).forEach(System.out::println);
 * }</pre>
 *
 * <p>A filtered snapshot names nothing of the other samples: their labels, threads, classes,
 * methods and traces are not in it, nor in the file that {@link
 * HeapSnapshot#writeTo(java.nio.file.Path)} writes. It has everything of the matching samples: all
 * their labels, threads, classes, methods and traces. It also has the counts that are not kept by
 * sample, such as {@link HeapSnapshot#dropped()}, and the number of entries in each table of the
 * block.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class SampleFilter {

    private final String text;
    private final Predicate<LabelSet> accepts;

    private SampleFilter(String text, Predicate<LabelSet> accepts) {
        this.text = text;
        this.accepts = accepts;
    }

    /**
     * Returns a filter for the samples with a label.
     *
     * @param key the key
     * @param value the whole value; there are no patterns
     * @return the filter
     * @throws IllegalArgumentException if no label has such a key or value; see {@link
     *     HeapLabels#of}
     */
    public static SampleFilter label(String key, String value) {
        LabelText.check(key, value);
        return new SampleFilter(
                "label " + key + "=" + value, labels -> value.equals(labels.get(key)));
    }

    /**
     * Returns a filter for the samples without a label of this key. Those whose labels are not
     * known since they {@linkplain #otherLabels() found no room} are not among them.
     *
     * @param key the key
     * @return the filter
     * @throws IllegalArgumentException if no label has such a key; see {@link HeapLabels#of}
     */
    public static SampleFilter noLabel(String key) {
        LabelText.checkKey(key);
        return new SampleFilter(
                "no label " + key, labels -> !labels.isOther() && labels.get(key) == null);
    }

    /**
     * {@return a filter for the samples whose set of labels found no room, see {@link
     * DropCause#LABELS_FULL}}
     */
    public static SampleFilter otherLabels() {
        return new SampleFilter("labels (other)", LabelSet::isOther);
    }

    /**
     * Returns a filter for the samples that match at least one of some filters.
     *
     * @param filters which ones; of none, no sample matches
     * @return the filter
     */
    public static SampleFilter anyOf(Collection<SampleFilter> filters) {
        List<SampleFilter> all = List.copyOf(filters);
        String text = all.stream().map(SampleFilter::toString).collect(Collectors.joining(" or "));
        return new SampleFilter(
                all.isEmpty() ? "no sample" : text,
                labels -> all.stream().anyMatch(each -> each.accepts(labels)));
    }

    boolean accepts(LabelSet labels) {
        return accepts.test(labels);
    }

    /** Returns the block of the matching samples of a snapshot; null if all match. */
    byte @Nullable [] blockOf(SnapshotData data) {
        SiteRows rows = data.rows();
        return rows.sets().allMatch(accepts)
                ? null
                : FilteredBlock.of(data, row -> accepts(rows.labels(row)));
    }

    /** {@return what is selected, in words, such as {@code label endpoint=GET /orders}} */
    @Override
    public String toString() {
        return text;
    }
}
