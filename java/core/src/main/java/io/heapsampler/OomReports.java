// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.shared.ReportFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open holds of this copy of the classes, and the report on out-of-memory that each has
 * requested. Guarded by the lock of {@link Turns}; nothing here calls the engine, and closing
 * allocates nothing.
 *
 * <p>A report ends with the last hold of this copy that has requested it. The report of a hold that
 * keeps its samples stays until they are reset. While other copies hold the sampler a report stays:
 * they may rely on the same file.
 */
final class OomReports {

    private final List<SamplerHold> open = new ArrayList<>();

    /** The file of a stopped hold, which stays as long as its samples. */
    private @Nullable ReportFile kept;

    void opened(SamplerHold hold) {
        if (!open.contains(hold)) {
            open.add(hold);
        }
    }

    /** Takes back {@link #opened}; harmless for a hold that was not added. */
    void removed(SamplerHold hold) {
        open.remove(hold);
    }

    void closed(SamplerHold hold, boolean keepsSamples) {
        open.remove(hold);
        if (keepsSamples && hold.report() != null) {
            kept = hold.report();
        }
    }

    /** The samples were forgotten. */
    void reset() {
        kept = null;
    }

    /** Returns whether this copy still needs the report in this file. */
    boolean needs(ReportFile file) {
        return file.equals(kept) || open.stream().anyMatch(hold -> file.equals(hold.report()));
    }

    /** Returns the number of open holds of this copy. */
    int holds() {
        return open.size();
    }
}
