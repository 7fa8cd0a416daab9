// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.OpenChains;
import io.heapsampler.internal.shared.OpenChains.Chain;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/**
 * What an assertion hands on to those it navigates to.
 *
 * @param snapshot where the figures come from; null if it is not known
 * @param spacing how far samples are apart
 * @param undecided what happens where nothing can be said
 * @param softly collects errors; null if they are thrown
 * @param isReported whether it has been collected that there is nothing to assert on
 */
record Scope(
        @Nullable HeapSnapshot snapshot,
        Spacing spacing,
        Undecided undecided,
        @Nullable SoftAssertionsProvider softly,
        boolean isReported) {

    static final Scope NONE = new Scope(null, Spacing.UNKNOWN, Undecided.FAILS, null, false);

    static Scope of(@Nullable HeapSnapshot snapshot) {
        return snapshot == null
                ? NONE
                : new Scope(snapshot, Spacing.of(snapshot), Undecided.FAILS, null, false);
    }

    Scope with(Undecided choice) {
        return new Scope(snapshot, spacing, choice, softly, isReported);
    }

    Scope with(SoftAssertionsProvider provider) {
        return new Scope(snapshot, spacing, undecided, provider, isReported);
    }

    Scope with(Spacing known) {
        return new Scope(snapshot, known, undecided, softly, isReported);
    }

    Scope reported() {
        return new Scope(snapshot, spacing, undecided, softly, true);
    }

    /** Begins a chain; if it belongs to a test and asserts nothing, that test fails. */
    static Chain beginChain() {
        return OpenChains.begin("an assertion, such as allocatesAtMost");
    }
}
