// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapRecording;
import io.heapsampler.RecordingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Closer looks, and the recordings that they request. */
final class Looks {

    static final List<Finding> NATIVE =
            List.of(Samples.finding("native.unaccounted", Severity.INFO));
    static final List<Finding> LOADERS =
            List.of(Samples.finding("metaspace.leak", Severity.WARNING));

    /** The requested recordings, oldest first. */
    final List<RecordingOptions> asked = new ArrayList<>();

    final SiteBook history = new SiteBook();

    /** A look whose recordings are opened so. */
    CloserLook opening(double budget, Function<RecordingOptions, HeapRecording> opener) {
        return new CloserLook(
                budget,
                history,
                options -> {
                    asked.add(options);
                    return opener.apply(options);
                });
    }

    /** A look that gets no recording. */
    CloserLook refused(double budget) {
        return opening(
                budget,
                options -> {
                    throw new IllegalStateException("all 64 recordings are open");
                });
    }

    /** An application that allocates the given bytes per second. */
    static Timeline allocating(long perSecond) {
        return Story.g1().seconds(3, perSecond).timeline();
    }
}
