// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertj.Reading.Limit;
import io.heapsampler.assertj.Reading.Measure;
import io.heapsampler.assertj.Reading.Spacing;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** The three outcomes of a limit. */
class LimitsTest {

    /** 100 samples of 1 KiB each: 100 KiB, between 82.5 and 121.8. */
    private static final HeapSnapshot HUNDRED =
            new TestSnapshot(1024).afterGc().site("byte[]", "com.acme.Cart.add", 100, 50, 0).take();

    private static void assertBroken(ThrowingCallable assertion) {
        assertThatExceptionOfType(AssertionFailedError.class)
                .isThrownBy(assertion)
                .withMessageContaining(" the limit:\n");
    }

    private static void assertUndecided(ThrowingCallable assertion) {
        assertThatExceptionOfType(AssertionFailedError.class)
                .isThrownBy(assertion)
                .withMessageContaining("undecided, the samples allow no verdict:\n");
    }

    @Test
    void aLimitAboveTheIntervalIsKeptOneBelowIsBrokenOneWithinIsUndecided() {
        assertThat(HUNDRED).allocatesAtMost("130 KB").hasAllocatedAtLeast("75 KB");
        assertBroken(() -> assertThat(HUNDRED).allocatesAtMost("75 KB"));
        assertBroken(() -> assertThat(HUNDRED).hasAllocatedAtLeast("130 KB"));
        assertUndecided(() -> assertThat(HUNDRED).allocatesAtMost("110 KB"));
        assertUndecided(() -> assertThat(HUNDRED).hasAllocatedAtLeast("95 KB"));
        assertThat(HUNDRED).hasAllocatedObjectsAtMost(2_500).hasAllocatedObjectsAtLeast(1_000);
        assertBroken(() -> assertThat(HUNDRED).hasAllocatedObjectsAtMost(1_000));
        assertThat(HUNDRED).allocatesAtMost(130L * 1024).hasAllocatedAtLeast(75L * 1024);
    }

    @Test
    void theChoiceDecidesWhatUndecidedMeans() {
        assertThat(HUNDRED).whenUndecided(Undecided.PASSES).allocatesAtMost("100 KB");
        assertBroken(
                () ->
                        assertThat(HUNDRED)
                                .whenUndecided(Undecided.PASSES)
                                .sitesOf(byte[].class)
                                .allocatesAtMost("75 KB"));
        assertThatExceptionOfType(TestAbortedException.class)
                .isThrownBy(
                        () ->
                                assertThat(HUNDRED)
                                        .as("cart")
                                        .whenUndecided(Undecided.ABORTS)
                                        .sitesOf(byte[].class)
                                        .allocatesAtMost("100 KB"))
                .withMessageContaining("cart, sites of byte[]")
                .withMessageContaining("undecided, the samples allow no verdict");
    }

    @Test
    void withoutASampleUpTo384IntervalsMayHaveGoneUnseen() {
        assertThat(HUNDRED).sitesOf("a.Absent").allocatesAtMost("4 KB");
        assertUndecided(() -> assertThat(HUNDRED).sitesOf("a.Absent").allocatesAtMost("3 KB"));
        assertUndecided(() -> assertThat(HUNDRED).sitesOf("a.Absent").allocatesNothing());
        assertBroken(() -> assertThat(HUNDRED).sitesOf("a.Absent").hasAllocatedAtLeast("4 KB"));
        assertThat(HUNDRED).sitesOf("a.Absent").hasAllocatedObjectsAtMost(4096 / 8);
    }

    @Test
    void oneLargeObjectSaysNothingOfTheSmallOnesBesideIt() {
        TestSnapshot large = new TestSnapshot(1024);
        int stack = large.writer().stack(false, large.writer().frame("a.A", "m", 1));
        large.writer().site(stack, large.writer().name("byte[]"), 1, 1, 0, 1e6, 0, 1_000_000, -1);
        HeapSnapshot snapshot = large.take();

        assertThat(snapshot).allocatesAtMost(1_000_000 + 4_000);
        assertUndecided(() -> assertThat(snapshot).allocatesAtMost(1_000_000 + 3_000));
    }

    @Test
    void withInterval0EverythingIsDecided() {
        HeapSnapshot exact =
                new TestSnapshot(0).afterGc().site("byte[]", "com.acme.Cart.add", 10, 0, 0).take();

        assertThat(exact).allocatesAtMost(640).hasAllocatedAtLeast(640).hasNothingLive();
        assertBroken(() -> assertThat(exact).allocatesAtMost(639));
        assertBroken(() -> assertThat(exact).hasAllocatedAtLeast(641));
        assertBroken(() -> assertThat(exact).allocatesNothing());
        assertThat(exact).sitesOf("a.Absent").allocatesNothing();
    }

    @Test
    void whatIsUnconfirmedMayBeAlive() {
        HeapSnapshot snapshot =
                new TestSnapshot(0).site("byte[]", "com.acme.Cart.add", 30, 10, 20).take();

        assertThat(snapshot).leavesBehindAtMost(30 * 64).hasLiveAtLeast(10 * 64);
        assertUndecided(() -> assertThat(snapshot).leavesBehindAtMost(29 * 64));
        assertBroken(() -> assertThat(snapshot).leavesBehindAtMost(9 * 64));
        assertBroken(() -> assertThat(snapshot).hasLiveAtLeast(31 * 64));
        assertThat(snapshot).hasLiveObjectsAtMost(30).hasLiveObjectsAtLeast(10);
        assertThat(snapshot).unconfirmedBytes().isAtMost(20 * 64).isAtLeast("1.25 KB");
    }

    @Test
    void samplesThatLostTheirPlaceMayBelongAnywhere() {
        TestSnapshot made = new TestSnapshot(0).site("byte[]", "com.acme.Cart.add", 10, 0, 0);
        made.site(-1, "", 5, 0, 0);
        HeapSnapshot snapshot = made.take();

        assertThat(snapshot).sitesOf("byte[]").allocatesAtMost(15 * 64);
        assertUndecided(() -> assertThat(snapshot).sitesOf("byte[]").allocatesAtMost(10 * 64));
        assertUndecided(() -> assertThat(snapshot).classTotals("byte[]").allocatesAtMost(10 * 64));
        assertUndecided(() -> assertThat(snapshot).sitesIn("com.acme").allocatesAtMost(640));
        assertBroken(() -> assertThat(snapshot).sitesOf("byte[]").hasAllocatedAtLeast(16 * 64));
        assertThat(snapshot).allocatesAtMost(15 * 64);
    }

    @Test
    void lostSamplesTakeTheUpperBoundAway() {
        HeapSnapshot lost =
                new TestSnapshot(0)
                        .drop(DropCause.NATIVE_MEMORY, 1)
                        .site("byte[]", "com.acme.Cart.add", 10, 0, 0)
                        .take();
        HeapSnapshot untracked = new TestSnapshot(0).drop(DropCause.NO_REFERENCE, 1).take();
        HeapSnapshot values = new TestSnapshot(0).drop(DropCause.VALUE_OBJECT, 1).take();
        HeapSnapshot thinned = new TestSnapshot(16).drop(DropCause.THINNED, 1).take();

        assertUndecided(() -> assertThat(lost).allocatesAtMost("1 GB"));
        assertThat(lost).hasAllocatedAtLeast("640 B");
        assertUndecided(() -> assertThat(untracked).leavesBehindAtMost("1 GB"));
        assertThat(untracked).allocatesNothing();
        assertUndecided(() -> assertThat(values).leavesBehindAtMost("1 GB"));
        assertThat(values).allocatesNothing();
        assertUndecided(() -> assertThat(thinned).leavesBehindAtMost("1 GB"));
        assertThat(thinned).allocatesAtMost("1 KB");
    }

    /**
     * 2,000 runs of 64-byte objects, 400 KiB at an interval of 4 KiB, against a limit that is the
     * truth: the worst case. Each wrong verdict has a chance of about 1 in 40, so 50 are expected
     * of either kind; more than 85 have a chance of 10⁻⁶. The seed is fixed.
     */
    @Test
    void aLimitThatIsTheTruthIsSeldomDecidedWrongly() {
        Random random = new Random(42);
        int objects = 6400;
        double chance = 1 - Math.exp(-64 / 4096.0);
        int kept = 0;
        int broken = 0;
        for (int run = 0; run < 2_000; run++) {
            int samples = 0;
            for (int i = 0; i < objects; i++) {
                samples += random.nextDouble() < chance ? 1 : 0;
            }
            HeapSnapshot snapshot =
                    new TestSnapshot(4096).site("byte[]", "a.A.m", samples, 0, 0).take();
            Reading reading =
                    Reading.of(
                            Measure.ALLOCATED_BYTES,
                            snapshot.totals().allocated().bytes(),
                            Spacing.bytes(4096));
            Reading.Verdict verdict = reading.against(Limit.atMost(objects * 64));
            kept += verdict == Reading.Verdict.KEPT ? 1 : 0;
            broken += verdict == Reading.Verdict.BROKEN ? 1 : 0;
        }

        assertThat(kept).isBetween(15, 85);
        assertThat(broken).isBetween(15, 85);
    }

    @Test
    void theAdvisedIntervalDecides() {
        for (int limit : new int[] {85, 95, 102, 105, 110, 120}) {
            Reading reading =
                    Reading.of(
                            Measure.ALLOCATED_BYTES,
                            HUNDRED.totals().allocated().bytes(),
                            Spacing.bytes(1024));
            long advised = reading.decisiveInterval(Limit.atMost(limit * 1024));
            HeapSnapshot finer =
                    new TestSnapshot((int) advised)
                            .site(
                                    "byte[]",
                                    "a.A.m",
                                    samplesOf(
                                            HUNDRED.totals().allocated().bytes().value(), advised),
                                    0,
                                    0)
                            .take();
            Reading again =
                    Reading.of(
                            Measure.ALLOCATED_BYTES,
                            finer.totals().allocated().bytes(),
                            Spacing.bytes(advised));

            assertThat(again.against(Limit.atMost(limit * 1024)))
                    .as("limit %d KiB, interval %d", limit, advised)
                    .isNotEqualTo(Reading.Verdict.UNDECIDED);
        }
    }

    private static int samplesOf(double bytes, long interval) {
        double chance = interval == 0 ? 1 : 1 - Math.exp(-64.0 / interval);
        return (int) Math.round(bytes / 64 * chance);
    }

    @Test
    void limitsThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(HUNDRED).allocatesAtMost(-1))
                .withMessage("a limit must be 0 or more: -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(HUNDRED).leavesBehindAtMost("1 MBB"))
                .withMessageStartingWith("\"1 MBB\" is not an amount of bytes");
    }
}
