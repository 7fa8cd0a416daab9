// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.internal.Tally;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresAndOptionsTest {

    @Test
    void chanceIsThatOfTheEstimator() {
        assertThat(Tally.chance(16, 0, 0)).isEqualTo(1);
        assertThat(Tally.chance(524_288, 524_288, 0)).isCloseTo(1 - Math.exp(-1), within(1e-12));
        assertThat(Tally.chance(16, 524_288, 0)).isCloseTo(16.0 / 524_288, within(1e-9));
        assertThat(Tally.chance(16, 0, 3)).isEqualTo(0.125);
    }

    @Test
    void boundsAreNeverBelowWhatWasSeen() {
        Estimate estimate = Estimate.of(1000, 100, 500, 40);

        assertThat(estimate.standardError()).isEqualTo(10);
        assertThat(estimate.low()).isCloseTo(980.591, within(1e-3));
        assertThat(estimate.high()).isCloseTo(1019.793, within(1e-3));
        assertThat(estimate.samples()).isEqualTo(40);
        assertThat(Estimate.of(1000, 1e6, 500, 2).low()).isEqualTo(500);
        assertThat(estimate).hasToString("1000 ± 20 (95 %, 40 samples)");
    }

    @Test
    void variancesAddInSumsAndDifferences() {
        Estimate a = Estimate.of(100, 9, 50, 3);
        Estimate b = Estimate.of(300, 16, 60, 4);

        assertThat(a.plus(b)).isEqualTo(Estimate.of(400, 25, 110, 7));
        assertThat(a.minus(b).value()).isEqualTo(-200);
        assertThat(a.minus(b).standardError()).isEqualTo(5);
        assertThat(a.minus(b).low()).isCloseTo(-209.8, within(1e-9));
    }

    @Test
    void figuresThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Estimate.of(Double.NaN, 0, 0, 0))
                .withMessageContaining("value NaN");
        assertThatIllegalArgumentException().isThrownBy(() -> Estimate.of(1, -1, 0, 0));
    }

    @Test
    void histogramBucketsAreAsDocumented() {
        HeapHistogram byTime = HeapHistogram.empty(HeapHistogram.Unit.MILLISECONDS);
        assertThat(byTime.buckets()).isEqualTo(32);
        assertThat(byTime.lowerBound(0)).isZero();
        assertThat(byTime.upperBound(0)).isEqualTo(1);
        assertThat(byTime.lowerBound(4)).isEqualTo(8);
        assertThat(byTime.upperBound(31)).isEqualTo(Long.MAX_VALUE);
        assertThat(HeapHistogram.timeBucket(-5)).isZero();
        assertThat(HeapHistogram.timeBucket(999)).isZero();
        assertThat(HeapHistogram.timeBucket(1_000)).isEqualTo(1);
        assertThat(HeapHistogram.timeBucket(7_999)).isEqualTo(3);
        assertThat(HeapHistogram.timeBucket(8_000)).isEqualTo(4);
        assertThat(HeapHistogram.timeBucket(Long.MAX_VALUE)).isEqualTo(31);
        assertThat(HeapHistogram.collectionBucket(14)).isEqualTo(14);
        assertThat(HeapHistogram.collectionBucket(15)).isEqualTo(15);
        assertThat(HeapHistogram.collectionBucket(99)).isEqualTo(15);
    }

    @Test
    void quantilesAreFoundInBuckets() {
        HeapHistogram histogram = HeapHistogram.empty(HeapHistogram.Unit.COLLECTIONS);
        assertThat(histogram.quantileBucket(0.5)).isEmpty();
        histogram.add(2, 3);
        histogram.add(9, 1);

        assertThat(histogram.total()).isEqualTo(4);
        assertThat(histogram.quantileBucket(0.5)).hasValue(2);
        assertThat(histogram.quantileBucket(1)).hasValue(9);
        assertThatIllegalArgumentException().isThrownBy(() -> histogram.quantileBucket(1.1));
    }

    @Test
    void defaultsAreAsDocumented() {
        SamplerOptions options = SamplerOptions.builder().build();

        assertThat(options.interval()).isEqualTo(524_288);
        assertThat(options.maxDepth()).isEqualTo(128);
        assertThat(options.maxTracked()).isIn(65_536, 8_192);
        assertThat(options.maxDead()).isEqualTo(4_096);
        assertThat(options.maxOverhead()).isEqualTo(0.01);
        assertThat(options).isEqualTo(SamplerOptions.builder().build());
    }

    @Test
    void refusalsNameOptionRangeAndValue() {
        SamplerOptions.Builder builder = SamplerOptions.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.interval(-1))
                .withMessage(
                        "interval must be from 0 to 2147483647 (bytes, 0 for every allocation), but"
                                + " is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapSampler.setInterval(1L << 31))
                .withMessageContaining("but is 2147483648");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxDepth(1025))
                .withMessage("maxDepth must be from 1 to 1024, but is 1025");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxTracked(-1))
                .withMessage("maxTracked must be from 0 to 2097152, but is -1");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxStacks(15));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxNames(5_000_000));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxSites(0));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxThreads(0));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxDead(0));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxOverhead(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxTracked(4_194_304))
                .withMessage("maxTracked must be from 0 to 2097152, but is 4194304");
    }

    @Test
    void strategiesAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SamplingStrategy.allocations(0))
                .withMessage(
                        "allocations must be from 1 to 2147483647 (mean from one sample on), but is"
                                + " 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SamplingStrategy.atMostOnePer(Duration.ofNanos(999_999)))
                .withMessage("period must be from 1 ms to 1 hour, but is PT0.000999999S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SamplingStrategy.atMostOnePer(Duration.ofHours(1).plusNanos(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> SamplingStrategy.bytes(-1));
        SamplingStrategy hourly = SamplingStrategy.atMostOnePer(Duration.ofHours(1));
        assertThat(hourly.period()).isEqualTo(Duration.ofHours(1));
        assertThat(hourly.mean()).isZero();
        assertThat(hourly).hasToString("at most one per PT1H");
        assertThat(SamplingStrategy.allocations(7).mean()).isEqualTo(7);
        assertThat(SamplingStrategy.allocations(7).period()).isNull();
        assertThat(SamplingStrategy.allocations(7))
                .isEqualTo(SamplingStrategy.allocations(7))
                .hasSameHashCodeAs(SamplingStrategy.allocations(7))
                .isNotEqualTo(SamplingStrategy.bytes(7));
    }

    @Test
    void anIntervalGoesWithBytesAndACapButNotWithAllocations() {
        SamplerOptions bytes =
                SamplerOptions.builder().strategy(SamplingStrategy.bytes(77)).maxDead(16).build();
        SamplerOptions counted =
                SamplerOptions.builder().strategy(SamplingStrategy.allocations(9)).build();
        SamplerOptions capped =
                SamplerOptions.builder()
                        .interval(5)
                        .strategy(SamplingStrategy.atMostOnePer(Duration.ofSeconds(1)))
                        .build();

        assertThat(bytes).isEqualTo(SamplerOptions.builder().interval(77).maxDead(16).build());
        assertThat(bytes.strategy()).isEqualTo(SamplingStrategy.bytes(77));
        assertThat(counted.interval()).isZero();
        assertThat(counted.strategy()).isEqualTo(SamplingStrategy.allocations(9));
        assertThat(counted).asString().contains("one in 9 allocations");
        assertThat(capped.interval()).isEqualTo(5);
        assertThat(capped).isNotEqualTo(SamplerOptions.builder().interval(5).build());
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                SamplerOptions.builder()
                                        .interval(5)
                                        .strategy(SamplingStrategy.allocations(9))
                                        .build())
                .withMessage(
                        "interval=5 cannot go with one in 9 allocations: to count allocations, the"
                                + " JVM must report each of them. Leave interval() away, or use"
                                + " SamplingStrategy.bytes() instead.");
    }

    @Test
    void theOrderOfTwoOptionsDoesNotMatter() {
        SamplingStrategy bytes = SamplingStrategy.bytes(77);
        for (SamplerOptions.Builder contradiction :
                List.of(
                        SamplerOptions.builder().interval(5).strategy(bytes),
                        SamplerOptions.builder().strategy(bytes).interval(5))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(contradiction::build)
                    .withMessage(
                            "interval=5 cannot go with every 77 bytes: each of the two sets the"
                                    + " interval. Set one of them.");
        }
        SamplingStrategy cap = SamplingStrategy.atMostOnePer(Duration.ofSeconds(1));
        assertThat(SamplerOptions.builder().strategy(cap).interval(5).build())
                .isEqualTo(SamplerOptions.builder().interval(5).strategy(cap).build());
        assertThat(SamplerOptions.builder().strategy(bytes).strategy(cap).build())
                .as("a strategy that is replaced leaves no interval behind")
                .isEqualTo(SamplerOptions.builder().strategy(cap).build());
    }

    /** Its folder may be made later: a builder does not read the file system. */
    @Test
    void aReportFileIsNotCheckedByTheBuilder() {
        SamplerOptions options =
                SamplerOptions.builder().reportOnOom(Path.of("/no/such/oom.txt")).build();
        assertThat(options.reportOnOom()).isEqualTo(Path.of("/no/such/oom.txt"));
        assertThat(SamplerOptions.builder().reportOnOom(Path.of("oom.txt")).build().reportOnOom())
                .isAbsolute();
    }

    @Test
    void recordingOptionsAreChecked() {
        RecordingOptions.Builder builder = RecordingOptions.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.threads(List.of()))
                .withMessage("threads must not be empty; leave them away to record all threads");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.className(" "))
                .withMessage("className must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.duration(Duration.ZERO))
                .withMessage("duration must be more than zero, but is PT0S");
        assertThatNullPointerException()
                .isThrownBy(() -> builder.thread(null))
                .withMessage("thread");
        assertThatNullPointerException()
                .isThrownBy(() -> HeapSampler.start(null))
                .withMessage("options");
        assertThat(builder.duration(Duration.ofDays(200_000)).build().durationNanos())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(builder.thread(Thread.currentThread()).build().accepts(Thread.currentThread()))
                .isTrue();
        assertThat(builder.build().accepts(new Thread())).isFalse();
    }
}
