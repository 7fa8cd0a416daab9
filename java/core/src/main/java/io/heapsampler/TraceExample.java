// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.LabelSet;
import io.heapsampler.internal.SiteExamples;
import io.heapsampler.internal.SiteRows;
import io.heapsampler.internal.SnapshotData;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A trace in which a site allocated a sampled object. It leads from a site to a request in a
 * tracing system.
 *
 * <pre>{@code
 * for (TraceExample example : snapshot.topByAllocated(1).get(0).examples()) {
 *     System.out.println("https://traces.example/trace/" + example.traceId());
 * }
 * }</pre>
 *
 * <p>Examples are no figures: a site has the last few traces, and nothing is counted by trace. The
 * object may be dead.
 *
 * <p>Immutable and safe for use by many threads. Two are equal when their ids and labels are.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class TraceExample {

    private final String traceId;
    private final String spanId;
    private final LabelSet set;

    private TraceExample(String traceId, String spanId, LabelSet set) {
        this.traceId = traceId;
        this.spanId = spanId;
        this.set = set;
    }

    /** Returns those of a site, for one set of labels after the other, the oldest first. */
    static List<TraceExample> of(SnapshotData data, int site) {
        SiteExamples examples = data.examples();
        if (examples.count() == 0) {
            return List.of();
        }
        SiteRows rows = data.rows();
        List<TraceExample> found = new ArrayList<>();
        for (int row : rows.ofSite(site)) {
            for (int i = examples.firstOf(row);
                    i < examples.count() && examples.row(i) == row;
                    i++) {
                found.add(
                        new TraceExample(
                                examples.traceId(i), examples.spanId(i), rows.labels(row)));
            }
        }
        return Collections.unmodifiableList(found);
    }

    /** {@return the id of the trace: 32 digits from 0 to 9 and a to f, not all of them 0} */
    public String traceId() {
        return traceId;
    }

    /** {@return the id of the span: 16 digits from 0 to 9 and a to f, not all of them 0} */
    public String spanId() {
        return spanId;
    }

    /**
     * {@return the labels of the samples of which this is an example, see {@link
     * HeapSite#labels()}: values by key, sorted by key; unmodifiable; empty without labels, and if
     * {@link #hasOtherLabels()}}
     */
    public Map<String, String> labels() {
        return set.labels();
    }

    /**
     * {@return whether the samples of which this is an example had labels that found no room; see
     * {@link DropCause#LABELS_FULL}}
     */
    public boolean hasOtherLabels() {
        return set.isOther();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TraceExample that
                && traceId.equals(that.traceId)
                && spanId.equals(that.spanId)
                && set.equals(that.set);
    }

    @Override
    public int hashCode() {
        return Objects.hash(traceId, spanId, set);
    }

    @Override
    public String toString() {
        return "trace " + traceId + ", span " + spanId;
    }
}
