// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces in which sites have allocated. */
class TraceExampleTest {

    /** The example of a row, as text, with its labels. */
    private static String text(LabelledBlock.Row row, int number, int example) {
        boolean isNamed = row.set() > 0 && !row.isOther();
        Map<String, String> labels =
                isNamed ? LabelledBlock.SETS.get(row.set() - 1) : Map.<String, String>of();
        return LabelledBlock.traceId(number, example)
                + LabelledBlock.spanId(number, example)
                + new TreeMap<>(labels)
                + row.isOther();
    }

    private static List<String> texts(List<TraceExample> examples) {
        return examples.stream()
                .map(each -> each.traceId() + each.spanId() + each.labels() + each.hasOtherLabels())
                .toList();
    }

    private static List<TraceExample> all(HeapSnapshot snapshot) {
        return snapshot.sites().stream().flatMap(site -> site.examples().stream()).toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aSiteHasThoseOfItsRowsWithTheirLabels(long seed) {
        LabelledBlock block = new LabelledBlock(seed);
        List<HeapSite> sites = block.snapshot().sites();
        List<LabelledBlock.Row> seen = new ArrayList<>();
        int next = 0;
        for (LabelledBlock.Row first : block.rows) {
            if (seen.stream().anyMatch(first::isSameSite)) {
                continue;
            }
            seen.add(first);
            List<String> expected = new ArrayList<>();
            for (int number = 0; number < block.rows.size(); number++) {
                LabelledBlock.Row row = block.rows.get(number);
                for (int i = 0; i < number % 4 && row.isSameSite(first); i++) {
                    expected.add(text(row, number, i));
                }
            }
            assertThat(texts(sites.get(next++).examples())).isEqualTo(expected);
        }
        assertThat(next).isEqualTo(sites.size());
    }

    @Test
    void withoutLabelsASiteHasThreeAtMost() {
        HeapSnapshot snapshot = new LabelledBlock(1, false).snapshot();

        assertThat(snapshot.sites().get(0).examples()).isEmpty();
        assertThat(snapshot.sites().get(3).examples())
                .extracting(TraceExample::traceId)
                .containsExactly(
                        LabelledBlock.traceId(3, 0),
                        LabelledBlock.traceId(3, 1),
                        LabelledBlock.traceId(3, 2));
        assertThat(snapshot.sites().get(3).examples().get(0).labels()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void filtersKeepTheExamplesOfTheirSamplesOnly(long seed) {
        HeapSnapshot snapshot = new LabelledBlock(seed).snapshot();
        List<TraceExample> expected =
                all(snapshot).stream()
                        .filter(each -> "acme".equals(each.labels().get("tenant")))
                        .toList();

        HeapSnapshot acme = snapshot.filter(SampleFilter.label("tenant", "acme"));
        HeapSnapshot others = snapshot.filter(SampleFilter.otherLabels());

        assertThat(expected).isNotEmpty();
        assertThat(all(acme)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(all(others)).isNotEmpty().allMatch(TraceExample::hasOtherLabels);
        assertThat(all(acme.filter(SampleFilter.otherLabels()))).isEmpty();
    }

    @Test
    void aSavedSnapshotHasThem() throws IOException {
        HeapSnapshot snapshot = new LabelledBlock(5).snapshot();
        for (HeapSnapshot saved :
                List.of(snapshot, snapshot.filter(SampleFilter.noLabel("tenant")))) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            saved.writeTo(out);
            HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(out.toByteArray()));

            assertThat(all(read)).isNotEmpty().isEqualTo(all(saved));
        }
    }

    @Test
    void equalAreThoseOfTheSameSpanAndLabels() {
        List<TraceExample> some = all(new LabelledBlock(5).snapshot());
        List<TraceExample> same = all(new LabelledBlock(5).snapshot());

        assertThat(new HashSet<>(some)).hasSameSizeAs(some).isEqualTo(new HashSet<>(same));
        assertThat(some.get(0)).isNotEqualTo(some.get(1)).isNotEqualTo("trace");
        assertThat(some.get(0))
                .hasToString("trace " + some.get(0).traceId() + ", span " + some.get(0).spanId());
    }
}
