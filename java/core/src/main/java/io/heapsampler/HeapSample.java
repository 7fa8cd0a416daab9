// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.LabelSet;
import io.heapsampler.internal.SampleColumns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One sampled object.
 *
 * <pre>{@code
 * for (HeapSample sample : snapshot.samples()) {
 *     if (sample.liveness() == Liveness.LIVE && sample.collectionsSurvived() > 10) {
 *         System.out.println(sample + " by " + sample.threadName());
 *     }
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. Samples are views that are created on request; two
 * are equal when they are the same sample of the same snapshot.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapSample {

    static {
        FacadeAccess.openSamples(sample -> sample.columns().reach(sample.index));
    }

    private static final Liveness[] LIVENESS = Liveness.values();

    private final HeapSnapshot snapshot;
    private final int index;

    HeapSample(HeapSnapshot snapshot, int index) {
        this.snapshot = snapshot;
        this.index = index;
    }

    private SampleColumns columns() {
        return snapshot.data().samples;
    }

    /** {@return the site at which the object was allocated} */
    public HeapSite site() {
        return snapshot.sites().get(columns().site(index));
    }

    /**
     * {@return the Java name of the class, such as {@code byte[]} or {@code
     * java.util.HashMap$Node}}
     */
    public String className() {
        return site().className();
    }

    /** {@return the size of the object, in bytes, header and padding included} */
    public long size() {
        return columns().size(index);
    }

    /**
     * {@return how many objects this sample stands for, with the thinning of the budget included:
     * estimated objects, 1 or more; times {@link #size()} gives the estimated bytes}
     */
    public double weight() {
        return 1 / columns().chance(index);
    }

    /**
     * {@return how many objects this sample stands for among the allocated ones, where nothing is
     * thinned: estimated objects, 1 or more, at most {@link #weight()}} Summed over all samples of
     * a site that were ever taken, of which those that are kept are a part, it gives {@link
     * HeapSite#allocated()}.
     */
    public double allocationWeight() {
        return 1 / columns().chanceToBeTaken(index);
    }

    /**
     * {@return the name of the thread that allocated the object, which may be empty; {@code
     * (other)} if there was no room for the thread}
     */
    public String threadName() {
        return snapshot.data().threadName(columns().thread(index));
    }

    /**
     * {@return the id of the thread that allocated the object; empty if there was no room for the
     * thread}
     */
    public OptionalLong threadId() {
        long id = snapshot.data().threadId(columns().thread(index));
        return id < 0 ? OptionalLong.empty() : OptionalLong.of(id);
    }

    /**
     * {@return the labels that the thread had when it allocated the object, see {@link HeapLabels}:
     * values by key, sorted by key; unmodifiable; empty without labels, and if there was no room
     * for them}
     */
    public Map<String, String> labels() {
        return labelSet().labels();
    }

    /**
     * {@return whether the thread had labels for which there was no room, see {@link
     * DropCause#LABELS_FULL}; {@link #labels()} is empty then}
     */
    public boolean hasOtherLabels() {
        return labelSet().isOther();
    }

    private LabelSet labelSet() {
        return snapshot.data().rows().labels(columns().row(index));
    }

    /**
     * {@return the stack of the allocation, leaf first; unmodifiable; empty if the JVM gave none or
     * there was no room}
     */
    public List<HeapFrame> stack() {
        return site().stack();
    }

    /** {@return when the object was allocated, to the microsecond} */
    public Instant allocatedAt() {
        return instant(columns().allocatedMicros(index));
    }

    /** {@return what is known about the life of the object} */
    public Liveness liveness() {
        return LIVENESS[columns().liveness(index)];
    }

    /** {@return how many collections the object was seen to survive} */
    public int collectionsSurvived() {
        return columns().survived(index);
    }

    /**
     * {@return when a dead object was last seen alive: the earliest time at which it can have died;
     * null unless {@link #liveness()} is {@link Liveness#DEAD}}
     */
    public @Nullable Instant lastSeenAliveAt() {
        return liveness() == Liveness.DEAD ? instant(columns().lastSeenMicros(index)) : null;
    }

    /**
     * {@return when a dead object was found dead: the latest time at which it can have died; null
     * unless {@link #liveness()} is {@link Liveness#DEAD}}
     */
    public @Nullable Instant foundDeadAt() {
        return liveness() == Liveness.DEAD ? instant(columns().foundDeadMicros(index)) : null;
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapSample that && index == that.index && snapshot == that.snapshot;
    }

    @Override
    public int hashCode() {
        return 31 * System.identityHashCode(snapshot) + index;
    }

    @Override
    public String toString() {
        return className()
                + " of "
                + size()
                + " bytes, "
                + liveness()
                + ", allocated "
                + allocatedAt();
    }
}
