// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.limit;

import org.jspecify.annotations.Nullable;

/**
 * Notices when the use of a limit passes a share of it. A use that hovers about the share passes it
 * once: after a report it must first fall by a twentieth of the share. For one thread.
 */
public final class Crossing {

    private static final double FALLEN = 0.95;

    private final double share;
    private boolean isReported;

    /** Notices when this share, from 0 to 1, is passed. */
    public Crossing(double share) {
        this.share = share;
    }

    /**
     * Returns whether a report is due; the same again until it is {@linkplain #reported made}, or
     * the use has fallen below the share.
     *
     * @param use null if there is no limit, or it cannot be read
     */
    public boolean isDue(@Nullable MemoryUse use) {
        if (use == null) {
            return false;
        }
        if (use.share() < FALLEN * share) {
            isReported = false;
        }
        return !isReported && use.isCertain() && use.share() >= share;
    }

    /** The report was made. */
    public void reported() {
        isReported = true;
    }
}
