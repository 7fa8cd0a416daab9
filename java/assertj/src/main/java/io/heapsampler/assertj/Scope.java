// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.HeapSnapshot;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/**
 * What an assertion hands on to those it navigates to.
 *
 * @param snapshot where the figures come from; null if it is not known
 * @param interval bytes between samples; negative if it is not known
 * @param undecided what happens where nothing can be said
 * @param softly collects errors; null if they are thrown
 * @param isReported whether it has been collected that there is nothing to assert on
 */
record Scope(
        @Nullable HeapSnapshot snapshot,
        long interval,
        Undecided undecided,
        @Nullable SoftAssertionsProvider softly,
        boolean isReported) {

    static final Scope NONE = new Scope(null, -1, Undecided.FAILS, null, false);

    static Scope of(@Nullable HeapSnapshot snapshot) {
        return snapshot == null
                ? NONE
                : new Scope(snapshot, snapshot.interval(), Undecided.FAILS, null, false);
    }

    Scope with(Undecided choice) {
        return new Scope(snapshot, interval, choice, softly, isReported);
    }

    Scope with(SoftAssertionsProvider provider) {
        return new Scope(snapshot, interval, undecided, provider, isReported);
    }

    Scope withInterval(long bytes) {
        return new Scope(snapshot, bytes, undecided, softly, isReported);
    }

    Scope reported() {
        return new Scope(snapshot, interval, undecided, softly, true);
    }
}
