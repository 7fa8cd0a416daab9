// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ByteSize;
import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertj.Reading.Limit;
import io.heapsampler.assertj.Reading.Measure;
import io.heapsampler.assertj.Reading.Spacing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on allocated and live objects, for a snapshot, a site, some sites, a class or a
 * thread. Not for extension.
 *
 * <p>Each limit has three outcomes, see {@link Undecided}. What may have gone unseen is taken into
 * account: without a sample, up to 3.84 intervals of bytes may have been allocated, and anything
 * where the sampler does not choose by bytes (see {@link io.heapsampler.SamplingStrategy}); what is
 * unconfirmed may be alive; what found a table full, and lost class or stack, may belong anywhere.
 *
 * @param <SELF> the type of the assertion
 * @param <ACTUAL> the type that it asserts on
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public abstract class AbstractHeapFiguresAssert<
                SELF extends AbstractHeapFiguresAssert<SELF, ACTUAL>, ACTUAL>
        extends AbstractHeapAssert<SELF, ACTUAL> {

    AbstractHeapFiguresAssert(@Nullable ACTUAL actual, Class<?> selfType, Scope scope) {
        super(actual, selfType, scope);
    }

    /** What belongs here. */
    abstract NamedFigures figures();

    /** What may belong here. */
    NamedFigures unplaced() {
        return NamedFigures.sum("", List.of());
    }

    /** The sites that a message shows. */
    abstract List<HeapSite> shownSites();

    /**
     * Verifies that no more was allocated.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public SELF allocatesAtMost(String limit) {
        return verify(Measure.ALLOCATED_BYTES, Limit.atMost(ByteSize.parse(limit)));
    }

    /** As {@link #allocatesAtMost(String)}, with a number of bytes, 0 or more. */
    public SELF allocatesAtMost(long bytes) {
        return verify(Measure.ALLOCATED_BYTES, Limit.atMost(Texts.checked(bytes)));
    }

    /**
     * Verifies that no less was allocated.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public SELF hasAllocatedAtLeast(String limit) {
        return verify(Measure.ALLOCATED_BYTES, Limit.atLeast(ByteSize.parse(limit)));
    }

    /** As {@link #hasAllocatedAtLeast(String)}, with a number of bytes, 0 or more. */
    public SELF hasAllocatedAtLeast(long bytes) {
        return verify(Measure.ALLOCATED_BYTES, Limit.atLeast(Texts.checked(bytes)));
    }

    /**
     * Verifies that no more objects were allocated.
     *
     * @param objects 0 or more
     * @return this
     */
    public SELF hasAllocatedObjectsAtMost(long objects) {
        return verify(Measure.ALLOCATED_OBJECTS, Limit.atMost(Texts.checked(objects)));
    }

    /**
     * Verifies that no fewer objects were allocated.
     *
     * @param objects 0 or more
     * @return this
     */
    public SELF hasAllocatedObjectsAtLeast(long objects) {
        return verify(Measure.ALLOCATED_OBJECTS, Limit.atLeast(Texts.checked(objects)));
    }

    /**
     * Verifies that nothing was allocated. Without interval 0 this is undecided at best, for a
     * little may have gone unseen.
     *
     * @return this
     */
    public SELF allocatesNothing() {
        return verify(Measure.ALLOCATED_BYTES, Limit.atMost(0));
    }

    /**
     * Verifies that no more is alive. Take the snapshot after a collection: unconfirmed objects may
     * be alive.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public SELF leavesBehindAtMost(String limit) {
        return verify(Measure.LIVE_BYTES, Limit.atMost(ByteSize.parse(limit)));
    }

    /** As {@link #leavesBehindAtMost(String)}, with a number of bytes, 0 or more. */
    public SELF leavesBehindAtMost(long bytes) {
        return verify(Measure.LIVE_BYTES, Limit.atMost(Texts.checked(bytes)));
    }

    /**
     * Verifies that no less is alive for sure.
     *
     * @param limit such as {@code "64 KB"}
     * @return this
     */
    public SELF hasLiveAtLeast(String limit) {
        return verify(Measure.LIVE_BYTES, Limit.atLeast(ByteSize.parse(limit)));
    }

    /** As {@link #hasLiveAtLeast(String)}, with a number of bytes, 0 or more. */
    public SELF hasLiveAtLeast(long bytes) {
        return verify(Measure.LIVE_BYTES, Limit.atLeast(Texts.checked(bytes)));
    }

    /**
     * Verifies that no more objects are alive.
     *
     * @param objects 0 or more
     * @return this
     */
    public SELF hasLiveObjectsAtMost(long objects) {
        return verify(Measure.LIVE_OBJECTS, Limit.atMost(Texts.checked(objects)));
    }

    /**
     * Verifies that no fewer objects are alive for sure.
     *
     * @param objects 0 or more
     * @return this
     */
    public SELF hasLiveObjectsAtLeast(long objects) {
        return verify(Measure.LIVE_OBJECTS, Limit.atLeast(Texts.checked(objects)));
    }

    /**
     * Verifies that nothing is alive. Without interval 0 this is undecided at best, for a little
     * may have gone unseen.
     *
     * @return this
     */
    public SELF hasNothingLive() {
        return verify(Measure.LIVE_BYTES, Limit.atMost(0));
    }

    /** {@return assertions on the bytes that were allocated} */
    @CheckReturnValue
    public EstimateAssert allocatedBytes() {
        return estimate(Measure.ALLOCATED_BYTES);
    }

    /** {@return assertions on the objects that were allocated} */
    @CheckReturnValue
    public EstimateAssert allocatedObjects() {
        return estimate(Measure.ALLOCATED_OBJECTS);
    }

    /**
     * {@return assertions on the bytes that are alive, with unconfirmed objects taken into account}
     */
    @CheckReturnValue
    public EstimateAssert liveBytes() {
        return estimate(Measure.LIVE_BYTES);
    }

    /**
     * {@return assertions on the objects that are alive, with unconfirmed ones taken into account}
     */
    @CheckReturnValue
    public EstimateAssert liveObjects() {
        return estimate(Measure.LIVE_OBJECTS);
    }

    /**
     * {@return assertions on the bytes that were allocated since a collection could have freed
     * them}
     */
    @CheckReturnValue
    public EstimateAssert unconfirmedBytes() {
        return estimate(Measure.UNCONFIRMED_BYTES);
    }

    /**
     * {@return assertions on the objects that were allocated since a collection could have freed
     * them}
     */
    @CheckReturnValue
    public EstimateAssert unconfirmedObjects() {
        return estimate(Measure.UNCONFIRMED_OBJECTS);
    }

    /**
     * {@return assertions on the whole snapshot from which this was reached}
     *
     * @throws IllegalStateException if it was not reached from a snapshot
     */
    @CheckReturnValue
    public HeapSnapshotAssert returnToSnapshot() {
        HeapSnapshot whole = snapshot();
        return to(HeapSnapshotAssert.class, HeapSnapshot.class, whole, HeapSnapshotAssert::new, "")
                .as(info.description());
    }

    private SELF verify(Measure measure, Limit limit) {
        return isThere()
                ? verify(
                        reading(measure),
                        limit,
                        figures().name(),
                        Top.ofSites(shownSites(), measure),
                        measure.isLive() ? Top.live(shownSites()) : List.of())
                : myself;
    }

    private EstimateAssert estimate(Measure measure) {
        Reading reading = isThere() ? reading(measure) : null;
        String name = reading == null ? "" : measure.text + " of " + figures().name();
        return toEstimate(reading, name);
    }

    private Reading reading(Measure measure) {
        NamedFigures unplaced = unplaced();
        Function<HeapAmount, Estimate> part =
                measure.isBytes ? HeapAmount::bytes : HeapAmount::objects;
        Estimate sure = part.apply(figures().amount(measure));
        Estimate possible = sure.plus(part.apply(unplaced.amount(measure)));
        List<String> hints = new ArrayList<>();
        if (unplaced.amount(measure).samples() > 0) {
            hints.add(
                    "raise maxStacks, maxNames, maxSites, maxThreads or maxDepth, because some"
                            + " samples lost their class, stack or thread and may belong here");
        }
        if (measure.isLive()) {
            HeapAmount unconfirmed = figures().unconfirmed().plus(unplaced.unconfirmed());
            possible = possible.plus(part.apply(unconfirmed));
            if (unconfirmed.samples() > 0) {
                hints.add(confirmHint());
            }
        }
        boolean isThinned = measure.isTracked && hasThinned();
        if (isThinned) {
            hints.add("raise maxTracked, because only a part of the samples was tracked");
        }
        Spacing spacing = isThinned ? scope().spacing().thinned() : scope().spacing();
        HeapSnapshot snapshot = scope().snapshot();
        List<HeapSnapshot> snapshots = snapshot == null ? List.of() : List.of(snapshot);
        return new Reading(
                measure, sure, possible, spacing, Doubts.lost(snapshots, measure.isTracked), hints);
    }

    private String confirmHint() {
        HeapSnapshot snapshot = scope().snapshot();
        if (snapshot != null && snapshot.collector() == GarbageCollector.EPSILON) {
            return "a collector that collects, because under Epsilon all stays unconfirmed";
        }
        return snapshot != null && snapshot.isAfterGc()
                ? "stop the work before the snapshot, because some was allocated after its"
                        + " collection"
                : "a snapshot with SnapshotOptions.afterGc(), because some is unconfirmed";
    }

    private boolean hasThinned() {
        HeapSnapshot snapshot = scope().snapshot();
        return snapshot != null && snapshot.dropped().getOrDefault(DropCause.THINNED, 0L) > 0;
    }
}
