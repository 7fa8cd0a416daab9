// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import org.junit.jupiter.api.Test;

/** Which samples two snapshots share, and what that makes of the error of a difference. */
class SharedSamplesTest {

    private static final long SECOND = 1_000_000;

    /** Of a sample that stands for 4 objects of 1,000 bytes. */
    private static final double VARIANCE = 12e6;

    /** One site, with 100 samples that were born in the first second after a time. */
    private static HeapSnapshot snapshot(long taken, long sampled, long born, int thinning) {
        BlockWriter writer = new BlockWriter();
        writer.info(Info.TAKEN_AT, taken).info(Info.SAMPLED_MICROS, sampled);
        int thread = writer.thread(1, "main");
        int site = writer.site(writer.stack(false, writer.frame("a.A", "m", 5)), "int[]", 1, 1, 16);
        for (int i = 0; i < 100; i++) {
            writer.living(site, thread, 1000, born + i * SECOND / 100, 0, thinning, 1, 1);
        }
        return HeapSnapshot.decode(writer.write());
    }

    private static Estimate growth(HeapSnapshot before, HeapSnapshot after) {
        return after.diff(before).deltas().get(0).live().bytes();
    }

    @Test
    void sharedSamplesCancel() {
        HeapSnapshot before = snapshot(10 * SECOND, 0, SECOND, 2);
        HeapSnapshot after = snapshot(20 * SECOND, 0, SECOND + 7, 2);

        assertThat(growth(before, after).standardError()).isZero();
        assertThat(growth(before, after).samples()).isZero();
        assertThat(after.diff(before).live().bytes().standardError()).isZero();
        assertThat(growth(after, before).standardError()).as("the other way round").isZero();
    }

    // All births and the time of the snapshot have moved by an hour, but only 10 s were sampled.
    @Test
    void theyAreRecognisedAfterTheClockWasSet() {
        long hour = 3600 * SECOND;
        HeapSnapshot before = snapshot(10 * SECOND, 9 * SECOND, SECOND, 2);
        HeapSnapshot after = snapshot(20 * SECOND + hour, 19 * SECOND, SECOND + hour, 2);

        assertThat(growth(before, after).standardError()).isZero();
    }

    @Test
    void errorsOfDifferentSamplesAddUp() {
        HeapSnapshot before = snapshot(10 * SECOND, 0, SECOND, 2);
        HeapSnapshot after = snapshot(20 * SECOND, 0, 11 * SECOND, 2);
        Estimate growth = growth(before, after);

        assertThat(growth.value()).isZero();
        assertThat(growth.standardError()).isCloseTo(Math.sqrt(200 * VARIANCE), within(1e-6));
        assertThat(growth.samples()).isEqualTo(200);
    }

    // Each stands for 8 instead of 4: what it adds is 4,000 bytes. None is gone, and one that was
    // missed may have stood for 3,000 bytes beyond its own.
    @Test
    void thinningInBetweenIsAnError() {
        HeapSnapshot before = snapshot(10 * SECOND, 0, SECOND, 2);
        HeapSnapshot after = snapshot(20 * SECOND, 0, SECOND, 3);

        assertThat(growth(before, after).value()).isEqualTo(400_000);
        assertThat(growth(before, after).standardError())
                .isCloseTo(Math.hypot(40_000, 3_000), within(1e-6));
    }

    @Test
    void snapshotsAreReleasedOnceTheEvidenceIsKnown() {
        HeapSnapshot before = snapshot(10 * SECOND, 0, SECOND, 2);
        HeapSnapshot after = snapshot(20 * SECOND, 0, 11 * SECOND, 2);
        Changes changes = new Changes(before, new int[1], after, new int[1], 1);
        assertThat(changes.holdsSnapshots()).isTrue();
        Estimate bytes = changes.ofAll().bytes(0);

        assertThat(changes.holdsSnapshots()).isFalse();
        assertThat(changes.of(0).bytes(0)).isEqualTo(bytes);
    }

    private static HeapSnapshot allocated(long started, long samples) {
        BlockWriter writer = new BlockWriter();
        writer.info(Info.STARTED_AT, started).info(Info.TAKEN_AT, 10 * SECOND + samples);
        int stack = writer.stack(false, writer.frame("a.A", "m", 5));
        double bytes = samples * 4000.0;
        writer.site(
                stack,
                writer.name("int[]"),
                samples,
                samples * 4.0,
                samples * 12.0,
                bytes,
                samples * VARIANCE,
                samples * 1000,
                -1);
        return HeapSnapshot.decode(writer.write());
    }

    @Test
    void allocationsInBetweenHaveTheErrorOfTheirOwnSamples() {
        HeapDiff diff = allocated(SECOND, 10_100).diff(allocated(SECOND, 10_000));
        Estimate bytes = diff.deltas().get(0).allocated().bytes();

        assertThat(bytes.value()).isEqualTo(400_000);
        assertThat(bytes.standardError()).isCloseTo(Math.sqrt(100 * VARIANCE), within(1e-6));
        assertThat(bytes.samples()).isEqualTo(100);
        assertThat(bytes.low()).isGreaterThan(300_000);
        assertThat(diff.allocated().bytes()).isEqualTo(bytes);
    }

    @Test
    void afterAResetItsErrorsAddUp() {
        HeapDiff diff = allocated(2 * SECOND, 10_100).diff(allocated(SECOND, 10_000));
        Estimate bytes = diff.deltas().get(0).allocated().bytes();

        assertThat(bytes.standardError()).isCloseTo(Math.sqrt(20_100 * VARIANCE), within(1e-6));
        assertThat(diff.allocated().bytes()).isEqualTo(bytes);
    }
}
