// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.internal.BlockWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Figures by label, on random blocks. */
class LabelFiguresTest {

    private static final List<Function<HeapFigures, HeapAmount>> KINDS =
            List.of(HeapFigures::allocated, HeapFigures::live, HeapFigures::unconfirmed);

    /** Sums in another order differ by some rounding. */
    private static Offset<Double> about(double value) {
        return within(1e-12 * Math.abs(value));
    }

    private static void assertSums(Collection<? extends HeapFigures> parts, HeapFigures whole) {
        for (Function<HeapFigures, HeapAmount> kind : KINDS) {
            HeapAmount expected = kind.apply(whole);
            HeapAmount sum = parts.stream().map(kind).reduce(HeapAmount.ZERO, HeapAmount::plus);
            assertSame(sum, expected);
        }
    }

    private static void assertSame(HeapAmount one, HeapAmount expected) {
        assertThat(one.samples()).isEqualTo(expected.samples());
        assertThat(one.sampledBytes()).isEqualTo(expected.sampledBytes());
        for (Function<HeapAmount, Estimate> unit :
                List.<Function<HeapAmount, Estimate>>of(HeapAmount::bytes, HeapAmount::objects)) {
            Estimate estimate = unit.apply(expected);
            assertThat(unit.apply(one).value())
                    .isCloseTo(estimate.value(), about(estimate.value()));
            assertThat(unit.apply(one).standardError())
                    .isCloseTo(estimate.standardError(), about(estimate.standardError()));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void figuresOfAKeyAreThoseOfItsRowsAndAddUpToTheTotals(long seed) {
        LabelledBlock block = new LabelledBlock(seed);
        HeapSnapshot snapshot = block.snapshot();

        assertThat(snapshot.labelKeys()).containsExactly("endpoint", "tenant");
        for (String key : List.of("endpoint", "tenant", "unknown")) {
            List<LabelTotals> labels = snapshot.labels(key);
            assertSums(labels, snapshot.totals());
            assertThat(labels).isSortedAccordingTo((a, b) -> Double.compare(bytes(b), bytes(a)));
            for (LabelTotals label : labels) {
                double expected = sum(block, row -> isOf(row, label, key));
                assertThat(bytes(label)).isCloseTo(expected, about(expected));
            }
        }
        assertSums(snapshot.labels(), snapshot.totals());
        assertThat(snapshot.labels()).hasSize(LabelledBlock.SETS.size() + 2);
    }

    private static boolean isOf(LabelledBlock.Row row, LabelTotals label, String key) {
        boolean isNone =
                !row.isOther()
                        && LabelledBlock.SETS.stream()
                                .filter(set -> set.containsKey(key))
                                .noneMatch(set -> row.has(key, set.get(key)));
        return label.isNone()
                ? isNone
                : label.isOther() ? row.isOther() : row.has(key, label.value());
    }

    private static double bytes(HeapFigures figures) {
        return figures.allocated().bytes().value();
    }

    private static double sum(LabelledBlock block, Predicate<LabelledBlock.Row> isOf) {
        return block.rows.stream().filter(isOf).mapToDouble(LabelledBlock.Row::bytes).sum();
    }

    @Test
    void eachEntryHasItsValueAndItsLabels() {
        List<LabelTotals> labels = new LabelledBlock(1).snapshot().labels("endpoint");

        assertThat(labels)
                .extracting(LabelTotals::value)
                .containsExactlyInAnyOrder("GET /orders", "GET /carts", "(none)", "(other)");
        for (LabelTotals label : labels) {
            assertThat(label.isNone()).isEqualTo(label.value().equals("(none)"));
            assertThat(label.isOther()).isEqualTo(label.value().equals("(other)"));
            assertThat(label.labels())
                    .isEqualTo(
                            label.isNone() || label.isOther()
                                    ? Map.of()
                                    : Map.of("endpoint", label.value()));
            assertThat(label.toString()).startsWith(label.value() + ": allocated ");
        }
        assertThat(new LabelledBlock(1).snapshot().labels())
                .extracting(LabelTotals::value)
                .contains("endpoint=GET /orders, tenant=acme", "tenant=\u00c4ther\uD83D\uDE00 & Co")
                .contains("(none)", "(other)");
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void rowsOfOneStackAndClassAreOneSite(long seed) {
        LabelledBlock block = new LabelledBlock(seed);
        HeapSnapshot snapshot = block.snapshot();
        HeapSnapshot unlabelled = new LabelledBlock(seed, false).snapshot();
        List<LabelledBlock.Row> first = new ArrayList<>();
        for (LabelledBlock.Row row : block.rows) {
            if (first.stream().noneMatch(row::isSameSite)) {
                first.add(row);
            }
        }

        assertThat(snapshot.sites()).hasSameSizeAs(first);
        assertThat(unlabelled.sites()).hasSameSizeAs(block.rows);
        for (int i = 0; i < first.size(); i++) {
            LabelledBlock.Row row = first.get(i);
            HeapSite site = snapshot.sites().get(i);
            List<HeapSite> parts = new ArrayList<>();
            for (int k = 0; k < block.rows.size(); k++) {
                if (block.rows.get(k).isSameSite(row)) {
                    parts.add(unlabelled.sites().get(k));
                }
            }
            assertThat(site.className()).isEqualTo(row.className());
            assertThat(site.stack()).isEqualTo(parts.get(0).stack());
            assertThat(site.isOther()).isEqualTo(row.stack() < 0);
            assertThat(site.isTruncated()).isEqualTo(parts.get(0).isTruncated());
            assertSums(parts, site);
            assertSums(site.labels("tenant"), site);
            assertSums(site.labels(), site);
            for (String key : List.of("tenant", "endpoint")) {
                assertAges(
                        site.lifetimes(),
                        site.labels(key).stream().map(LabelTotals::lifetimes).toList());
                assertAges(site.ages(), site.labels(key).stream().map(LabelTotals::ages).toList());
            }
            assertAges(site.lifetimes(), parts.stream().map(HeapSite::lifetimes).toList());
            assertAges(site.ages(), parts.stream().map(HeapSite::ages).toList());
            assertThat(site.samples())
                    .hasSize(parts.stream().mapToInt(part -> part.samples().size()).sum())
                    .allMatch(sample -> sample.site() == site);
        }
        assertSums(unlabelled.sites(), snapshot.totals());
        assertSums(unlabelled.classes(), snapshot.totals());
        assertThat(snapshot.classes()).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertSums(List.of(snapshot.classes().get(i)), unlabelled.classes().get(i));
        }
        assertThat(snapshot.threads()).hasSize(2);
        assertSums(snapshot.threads().subList(0, 1), unlabelled.threads().get(0));
    }

    private static void assertAges(HeapAges whole, List<HeapAges> parts) {
        assertThat(whole.samples()).isEqualTo(parts.stream().mapToLong(HeapAges::samples).sum());
        assertThat(buckets(whole.byTime()))
                .isEqualTo(sum(parts.stream().map(HeapAges::byTime).toList()));
        assertThat(buckets(whole.byCollections()))
                .isEqualTo(sum(parts.stream().map(HeapAges::byCollections).toList()));
    }

    /** Rounded, for the reason given at {@link #about}. */
    private static List<Long> sum(List<HeapHistogram> parts) {
        return DoubleStream.iterate(0, i -> i + 1)
                .limit(parts.get(0).buckets())
                .map(i -> parts.stream().mapToDouble(part -> part.objects((int) i)).sum())
                .mapToObj(sum -> Math.round(1_000 * sum))
                .toList();
    }

    private static List<Long> buckets(HeapHistogram histogram) {
        return sum(List.of(histogram));
    }

    @Test
    void samplesHaveTheirLabels() {
        LabelledBlock block = new LabelledBlock(21);
        HeapSnapshot snapshot = block.snapshot();

        for (int i = 0; i < snapshot.samples().size(); i++) {
            HeapSample sample = snapshot.samples().get(i);
            LabelledBlock.Row row = block.rows.get(snapshot.data().samples.row(i));
            assertThat(sample.hasOtherLabels()).isEqualTo(row.isOther());
            boolean hasNone = row.set() == 0 || row.isOther();
            assertThat(sample.labels())
                    .isEqualTo(hasNone ? Map.of() : LabelledBlock.SETS.get(row.set() - 1));
            assertThat(sample.className()).isEqualTo(row.className());
        }
        assertThat(snapshot.samples()).anyMatch(sample -> sample.labels().size() == 2);
    }

    @Test
    void aSnapshotWithoutLabelsHasAllUnderNone() {
        HeapSnapshot snapshot = new LabelledBlock(31, false).snapshot();

        assertThat(snapshot.labelKeys()).isEmpty();
        assertThat(snapshot.labels("endpoint")).hasSize(1).allMatch(LabelTotals::isNone);
        assertSums(snapshot.labels("endpoint"), snapshot.totals());
        assertThat(snapshot.samples())
                .allMatch(sample -> sample.labels().isEmpty() && !sample.hasOtherLabels());
        assertThat(Blocks.written("small-17-g1.block").labels("endpoint")).hasSize(1);
    }

    /** Made on purpose, in a file: 16,384 values with one hash code. */
    @Test
    @Timeout(20)
    void manyValuesWithOneHashCodeAreGroupedFast() {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false);
        int count = 1 << 14;
        for (int i = 0; i < count; i++) {
            StringBuilder value = new StringBuilder();
            for (int bit = 0; bit < 14; bit++) {
                value.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            int row = writer.site(stack, "x", 1, 1, 1);
            writer.labelSite(row, writer.labels(Map.of("k", value.toString())));
        }
        HeapSnapshot snapshot = HeapSnapshot.decode(writer.write());

        assertThat(snapshot.labels("k")).hasSize(count);
    }

    @Test
    void aKeyThatNoLabelCanHaveIsRefused() {
        HeapSnapshot snapshot = new LabelledBlock(1).snapshot();
        HeapSite site = snapshot.sites().get(0);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> snapshot.labels("").toString())
                .withMessageStartingWith("The key of a label is empty");
        assertThatIllegalArgumentException().isThrownBy(() -> site.labels("\t").toString());
        assertThatNullPointerException().isThrownBy(() -> snapshot.labels(null).toString());
    }
}
