// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.internal.Info;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots of the samples with a label. */
class LabelFilterTest {

    private static final SampleFilter ORDERS = SampleFilter.label("endpoint", "GET /orders");

    private static List<HeapSnapshot> parts(HeapSnapshot snapshot) {
        return List.of(
                snapshot.filter(ORDERS),
                snapshot.filter(SampleFilter.label("endpoint", "GET /carts")),
                snapshot.filter(SampleFilter.noLabel("endpoint")),
                snapshot.filter(SampleFilter.otherLabels()));
    }

    private static void assertSame(HeapFigures one, HeapFigures expected) {
        assertSame(one.allocated(), expected.allocated());
        assertSame(one.live(), expected.live());
        assertSame(one.unconfirmed(), expected.unconfirmed());
    }

    private static void assertSame(HeapAmount one, HeapAmount expected) {
        assertThat(one.samples()).isEqualTo(expected.samples());
        assertThat(one.sampledBytes()).isEqualTo(expected.sampledBytes());
        assertThat(one.bytes().value())
                .isCloseTo(expected.bytes().value(), within(1e-12 * expected.bytes().value()));
        assertThat(one.objects().standardError())
                .isCloseTo(
                        expected.objects().standardError(),
                        within(1e-12 * expected.objects().standardError()));
    }

    private static void assertSum(
            HeapAges sum, List<HeapSite> sites, Function<HeapSite, HeapAges> part) {
        List<HeapAges> parts = sites.stream().map(part).toList();
        assertThat(sum.samples()).isEqualTo(parts.stream().mapToLong(HeapAges::samples).sum());
        assertSum(sum.byTime(), parts.stream().map(HeapAges::byTime).toList());
        assertSum(sum.byCollections(), parts.stream().map(HeapAges::byCollections).toList());
    }

    private static void assertSum(HeapHistogram sum, List<HeapHistogram> parts) {
        for (int i = 0; i < sum.buckets(); i++) {
            int bucket = i;
            assertThat(sum.objects(bucket))
                    .as("bucket " + bucket)
                    .isCloseTo(
                            parts.stream().mapToDouble(part -> part.objects(bucket)).sum(),
                            within(1e-6));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void filteredTotalsAreThoseOfTheLabel(long seed) {
        HeapSnapshot snapshot = new LabelledBlock(seed).snapshot();

        for (LabelTotals label : snapshot.labels("endpoint")) {
            SampleFilter filter =
                    label.isNone()
                            ? SampleFilter.noLabel("endpoint")
                            : label.isOther()
                                    ? SampleFilter.otherLabels()
                                    : SampleFilter.label("endpoint", label.value());
            HeapSnapshot filtered = snapshot.filter(filter);
            assertSame(filtered.totals(), label);
            assertSum(label.lifetimes(), filtered.sites(), HeapSite::lifetimes);
            assertSum(label.ages(), filtered.sites(), HeapSite::ages);
            assertThat(filtered.labels("endpoint")).hasSize(1);
            assertThat(filtered.data().info(Info.SAMPLES)).isEqualTo(label.allocated().samples());
        }
    }

    @Test
    void anyOfSeveralFiltersMatches() {
        HeapSnapshot snapshot = new LabelledBlock(1).snapshot();
        SampleFilter none = SampleFilter.noLabel("endpoint");

        HeapSnapshot both = snapshot.filter(SampleFilter.anyOf(List.of(ORDERS, none)));

        assertThat(both.labels("endpoint"))
                .extracting(LabelTotals::value)
                .containsExactlyInAnyOrder("GET /orders", "(none)");
        assertThat(both.totals().allocated().bytes().value())
                .isCloseTo(
                        snapshot.filter(ORDERS).totals().allocated().bytes().value()
                                + snapshot.filter(none).totals().allocated().bytes().value(),
                        within(1e-3));
        assertThat(snapshot.filter(SampleFilter.anyOf(List.of())).sites()).isEmpty();
        assertThat(SampleFilter.anyOf(List.of(ORDERS, none)))
                .hasToString("label endpoint=GET /orders or no label endpoint");
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void filtersThatAddUpShareOutAllSamplesAndSites(long seed) {
        HeapSnapshot snapshot = new LabelledBlock(seed).snapshot();
        List<HeapSnapshot> parts = parts(snapshot);

        assertThat(parts.stream().mapToInt(part -> part.samples().size()).sum())
                .isEqualTo(snapshot.samples().size());
        for (HeapSite site : snapshot.sites()) {
            HeapAmount allocated = HeapAmount.ZERO;
            long deaths = 0;
            double lived = 0;
            for (HeapSnapshot part : parts) {
                for (HeapSite same : part.sites()) {
                    boolean isSame =
                            same.className().equals(site.className())
                                    && same.stack().equals(site.stack())
                                    && same.isOther() == site.isOther();
                    if (isSame) {
                        allocated = allocated.plus(same.allocated());
                        deaths += same.lifetimes().samples();
                        lived += same.lifetimes().byTime().total();
                    }
                }
            }
            assertSame(allocated, site.allocated());
            assertThat(deaths).isEqualTo(site.lifetimes().samples());
            assertThat(lived).isCloseTo(site.lifetimes().byTime().total(), within(1e-6));
        }
    }

    @Test
    void samplesAreThoseOfTheLabelWithTheirProperties() {
        HeapSnapshot snapshot = new LabelledBlock(21).snapshot();
        List<HeapSample> expected =
                snapshot.samples().stream()
                        .filter(sample -> "GET /orders".equals(sample.labels().get("endpoint")))
                        .toList();
        List<HeapSample> samples = snapshot.filter(ORDERS).samples();

        assertThat(samples).hasSameSizeAs(expected);
        for (int i = 0; i < samples.size(); i++) {
            HeapSample one = samples.get(i);
            HeapSample other = expected.get(i);
            assertThat(one.labels()).isEqualTo(other.labels());
            assertThat(one.allocatedAt()).isEqualTo(other.allocatedAt());
            assertThat(one.className()).isEqualTo(other.className());
            assertThat(one.stack()).isEqualTo(other.stack());
            assertThat(one.liveness()).isEqualTo(other.liveness());
            assertThat(one.foundDeadAt()).isEqualTo(other.foundDeadAt());
            assertThat(one.threadName()).isEqualTo(other.threadName());
            assertThat(one.threadId()).isEqualTo(other.threadId());
        }
    }

    @Test
    void filtersOfFiltersSelectWhatMatchesBoth() {
        HeapSnapshot snapshot = new LabelledBlock(31).snapshot();
        SampleFilter acme = SampleFilter.label("tenant", "acme");

        HeapSnapshot both = snapshot.filter(ORDERS).filter(acme);

        assertThat(both.labels())
                .extracting(LabelTotals::labels)
                .containsExactly(Map.of("endpoint", "GET /orders", "tenant", "acme"));
        assertSame(both.totals(), snapshot.filter(acme).filter(ORDERS).totals());
        assertThat(both.filter(acme)).isSameAs(both);
        assertThat(both.filter(SampleFilter.otherLabels()).sites()).isEmpty();
    }

    @Test
    void figuresByThreadAreLeftOutWithANote() {
        HeapSnapshot snapshot = new LabelledBlock(41).snapshot();
        HeapSnapshot filtered = snapshot.filter(ORDERS);

        assertThat(snapshot.threads()).isNotEmpty();
        assertThat(filtered.threads()).isEmpty();
        assertThat(snapshot.notes()).extracting(Note::id).doesNotContain("filtered");
        assertThat(filtered.notes()).extracting(Note::id).contains("filtered");
        assertThat(filtered.dropped()).isEqualTo(snapshot.dropped());
        assertThat(filtered.takenAt()).isEqualTo(snapshot.takenAt());
        assertThat(filtered.interval()).isEqualTo(snapshot.interval());
    }

    @Test
    void aFilteredSnapshotIsWrittenAndRead() throws IOException {
        HeapSnapshot filtered = new LabelledBlock(51).snapshot().filter(ORDERS);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filtered.writeTo(out);
        HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(out.toByteArray()));

        assertSame(read.totals(), filtered.totals());
        assertThat(read.threads()).isEmpty();
        assertThat(read.notes()).isEqualTo(filtered.notes());
        assertThat(read.labelKeys()).isEqualTo(filtered.labelKeys());
        assertThat(read.samples()).hasSameSizeAs(filtered.samples());
    }

    @Test
    void aSnapshotOfWhichAllMatchesIsItself() {
        HeapSnapshot unlabelled = new LabelledBlock(61, false).snapshot();

        assertThat(unlabelled.filter(SampleFilter.noLabel("endpoint"))).isSameAs(unlabelled);
        assertThat(unlabelled.filter(ORDERS).sites()).isEmpty();
        assertThat(unlabelled.filter(ORDERS).totals().allocated().samples()).isZero();
    }

    private static HeapSnapshot shot(long at, int orders, int carts) {
        HeldShot shot = new HeldShot();
        int first = shot.site("byte[]", "fill", 1);
        int second = shot.site("byte[]", "fill", 1);
        shot.writer.info(Info.TAKEN_AT, at).info(Info.SAMPLED_MICROS, at);
        shot.writer.labelSite(first, shot.writer.labels(Map.of("endpoint", "GET /orders")));
        shot.writer.labelSite(second, shot.writer.labels(Map.of("endpoint", "GET /carts")));
        return HeapSnapshot.decode(shot.live(first, orders).live(second, carts).block());
    }

    @Test
    void differencesAndGrowthAreThoseOfTheLabel() {
        List<HeapSnapshot> all = List.of(shot(1_000_000, 10, 30), shot(2_000_000, 40, 30));
        List<HeapSnapshot> orders = all.stream().map(each -> each.filter(ORDERS)).toList();

        HeapDiff whole = all.get(1).diff(all.get(0));
        HeapDiff ofOrders = orders.get(1).diff(orders.get(0));

        assertThat(whole.deltas()).hasSize(1);
        assertThat(whole.deltas().get(0).live().bytes().value()).isEqualTo(30_000);
        assertThat(whole.deltas().get(0).laterLive().bytes().value()).isEqualTo(70_000);
        assertThat(ofOrders.deltas()).hasSize(1);
        assertThat(ofOrders.deltas().get(0).live().bytes().value()).isEqualTo(30_000);
        assertThat(ofOrders.deltas().get(0).laterLive().bytes().value()).isEqualTo(40_000);
        HeapGrowth growth =
                HeapGrowth.of(
                        List.of(
                                orders.get(0),
                                orders.get(1),
                                shot(3_000_000, 70, 30).filter(ORDERS)));
        assertThat(growth.sites()).hasSize(1);
        assertThat(growth.sites().get(0).bytesPerSecond().value()).isCloseTo(30_000, within(1.0));
    }

    @Test
    void liveSamplesOfALabelAreChosenForASearchOfHolders() {
        HeapSnapshot snapshot = new LabelledBlock(71).snapshot();
        int[] chosen = HeldByOptions.label("endpoint", "GET /orders").selection().of(snapshot);

        assertThat(chosen).hasSizeGreaterThan(10);
        assertThat(Arrays.stream(chosen).mapToObj(snapshot.samples()::get))
                .allMatch(sample -> sample.liveness() == Liveness.LIVE)
                .allMatch(sample -> "GET /orders".equals(sample.labels().get("endpoint")))
                .hasSize((int) snapshot.filter(ORDERS).totals().live().samples());
        assertThat(HeldByOptions.label("endpoint", "GET /orders").toString())
                .startsWith("label endpoint=GET /orders, maxSamples=1000");
        assertThat(HeldByOptions.topByLive(1).selection().of(snapshot)).isNotEmpty();
        assertThat(HeldByOptions.all().selection().of(snapshot))
                .hasSize((int) snapshot.totals().live().samples());
    }

    @Test
    void aFilterThatNoLabelCanMatchIsRefused() {
        assertThat(ORDERS).hasToString("label endpoint=GET /orders");
        assertThat(SampleFilter.noLabel("a")).hasToString("no label a");
        assertThat(SampleFilter.otherLabels()).hasToString("labels (other)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SampleFilter.label("endpoint", "").toString());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeldByOptions.label("a\n", "b").toString());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SampleFilter.noLabel("x".repeat(65)).toString());
        assertThatNullPointerException()
                .isThrownBy(() -> SampleFilter.label("endpoint", null).toString());
        assertThatNullPointerException()
                .isThrownBy(() -> new LabelledBlock(1).snapshot().filter(null).toString())
                .withMessage("filter");
    }
}
