// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The watch over memory limits, which runs while an open hold of this copy of the classes wants it.
 * All of them want the same. Guarded by the lock of {@link Turns}; ending allocates nothing.
 */
final class NearLimits {

    private final Function<NearLimit, NearLimitWatch> watches;
    private final List<SamplerHold> holds = new ArrayList<>();
    private @Nullable NearLimitWatch watch;

    /**
     * Makes one without a watch.
     *
     * @param watches makes a watch, not started
     */
    NearLimits(Function<NearLimit, NearLimitWatch> watches) {
        this.watches = watches;
    }

    /** Returns the request that is being watched; null for none. */
    @Nullable NearLimit inForce() {
        return watch == null ? null : watch.wanted();
    }

    /** A hold wants a report. Where there is a watch already, it goes on. */
    void begin(SamplerHold hold, NearLimit wanted) {
        NearLimitWatch next = watch == null ? watches.apply(wanted) : watch;
        // Before the start: without memory for it, no thread must stay that no hold ends.
        if (!holds.contains(hold)) {
            holds.add(hold);
        }
        if (watch == null) {
            next.start();
            watch = next;
        }
        hold.setNearLimit(wanted);
    }

    /** The hold was closed. The last one ends the watch; a report that has begun is finished. */
    void end(SamplerHold hold) {
        if (holds.remove(hold) && holds.isEmpty() && watch != null) {
            watch.end();
            watch = null;
        }
    }
}
