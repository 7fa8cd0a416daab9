// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** What goes unseen when samples are not chosen by bytes. */
class StrategiesTest {

    /** The interval of such a snapshot is 0, and means nothing. */
    private static final HeapSnapshot ONE_IN_TEN_THOUSAND = allocations(10_000).take();

    private static final HeapSnapshot ONE_PER_10_MS =
            new TestSnapshot(1024).afterGc().strategy(SamplingStrategy.Kind.TIME, 10_000).take();

    private static TestSnapshot allocations(long mean) {
        return new TestSnapshot(0).afterGc().strategy(SamplingStrategy.Kind.ALLOCATIONS, mean);
    }

    private static String undecided(ThrowingCallable assertion) {
        StringBuilder message = new StringBuilder();
        assertThatExceptionOfType(AssertionFailedError.class)
                .isThrownBy(assertion)
                .withMessageContaining("undecided, the samples allow no verdict:\n")
                .satisfies(error -> message.append(error.getMessage()));
        return message.toString();
    }

    @Test
    void noSampleByAllocationsProvesNothingAboutBytes() {
        undecided(() -> assertThat(ONE_IN_TEN_THOUSAND).allocatesAtMost("1 GB"));
        undecided(() -> assertThat(ONE_IN_TEN_THOUSAND).allocatesNothing());
        undecided(() -> assertThat(ONE_IN_TEN_THOUSAND).hasNothingLive());
        assertThat(undecided(() -> assertThat(ONE_IN_TEN_THOUSAND).allocatesAtMost("0 B")))
                .endsWith(
                        """
                          limit     at most 0 bytes
                          actual    no sample
                          between   0 bytes and no known bound
                          strategy  one in 10000 allocations
                        What helps: a sampler that runs with SamplingStrategy.bytes(...), because nothing bounds what goes unseen with one in 10000 allocations; or choose another outcome with whenUndecided(...).\
                        """);
    }

    @Test
    void aSampleByAllocationsSaysNothingOfALargeObjectBesideIt() {
        HeapSnapshot some = allocations(2).site("byte[]", "a.A.m", 100, 0, 0).take();

        undecided(() -> assertThat(some).allocatesAtMost("1 GB"));
        assertThat(some).hasAllocatedAtLeast("5 KB");
        assertThatExceptionOfType(AssertionFailedError.class)
                .isThrownBy(() -> assertThat(some).allocatesAtMost("5 KB"))
                .withMessageContaining("What helps: less at the sites above.");
    }

    @Test
    void upTo384TimesTheMeanMayHaveBeenAllocatedUnseen() {
        assertThat(ONE_IN_TEN_THOUSAND).hasAllocatedObjectsAtMost(38_417);
        assertThat(
                        undecided(
                                () ->
                                        assertThat(ONE_IN_TEN_THOUSAND)
                                                .hasAllocatedObjectsAtMost(38_415)))
                .contains(
                        "What helps: a sampler that runs with a smaller"
                                + " SamplingStrategy.allocations(...)");
    }

    @Test
    void thinningTakesThatBoundAway() {
        HeapSnapshot thinned = allocations(10_000).drop(DropCause.THINNED, 1).take();

        undecided(() -> assertThat(thinned).hasLiveObjectsAtMost(1_000_000));
        assertThat(thinned).hasAllocatedObjectsAtMost(38_417);
    }

    @Test
    void oneInOneIsExact() {
        HeapSnapshot all = allocations(1).take();

        assertThat(all).allocatesNothing().hasNothingLive();
        assertThat(all).allocatedBytes().hasRelativeErrorAtMost(0.1);
    }

    @Test
    void noSampleUnderACapProvesNothing() {
        undecided(() -> assertThat(ONE_PER_10_MS).allocatesAtMost("0 B"));
        undecided(() -> assertThat(ONE_PER_10_MS).hasAllocatedObjectsAtMost(1_000_000));
        assertThat(undecided(() -> assertThat(ONE_PER_10_MS).allocatesAtMost("1 GB")))
                .contains("  strategy  at most one per PT0.01S\n");
    }

    @Test
    void noSampleIsNotExact() {
        for (HeapSnapshot snapshot : new HeapSnapshot[] {ONE_IN_TEN_THOUSAND, ONE_PER_10_MS}) {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(
                            () -> assertThat(snapshot).allocatedBytes().hasRelativeErrorAtMost(0.1))
                    .withMessageContaining(
                            "What helps: more samples than with " + snapshot.strategy() + ".");
        }
    }

    @Test
    void growthBetweenTwoSuchSnapshotsIsUndecidedWhicheverComesFirst() {
        HeapSnapshot bytes = new TestSnapshot(0).afterGc().takenAt(2).take();
        HeapSnapshot before = allocations(10_000).takenAt(1).take();
        HeapSnapshot after = allocations(10_000).takenAt(3).take();

        assertThat(undecided(() -> assertThat(bytes.diff(before)).hasGrownByAtMost("1 GB")))
                .contains("  between   no known bound and no known bound\n");
        undecided(() -> assertThat(after.diff(bytes)).hasGrownByAtMost("1 GB"));
        undecided(() -> assertThat(after.diff(bytes)).allocatedBytes().isAtMost("1 GB"));
    }

    @Test
    void knownIntervalMayBeSet() {
        assertThat(ONE_PER_10_MS).allocatedBytes().withInterval(1024).isAtMost("4 KB");
    }
}
