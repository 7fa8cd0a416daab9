// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Labels of the application in pprof profiles. tests/export reads them with go tool pprof. */
class PprofOwnLabelsTest {

    private static final int ALLOCATED = 1;
    private static final int LIVE = 3;

    private static ExportOptions.Builder options() {
        return ExportOptions.builder();
    }

    private static List<PprofSample> shop(ExportOptions.Builder options) throws IOException {
        return PprofSample.export(LabelledHeaps.shop(), options);
    }

    @Test
    void eachSetOfASiteIsASampleWithItsKeysAndValues() throws IOException {
        List<PprofSample> samples = shop(options());

        assertThat(samples.get(0).stack())
                .containsExactly("com.acme.Cart.add", "com.acme.Main.main");
        assertThat(samples.get(0).values()).containsExactly(5L, 2000L, 0L, 0L);
        assertThat(samples.get(0).labels())
                .isEqualTo(Map.of("class", "byte[]", "endpoint", "GET /orders", "tenant", "acme"));
        assertThat(samples.get(0).numbers()).containsEntry("bytes", 400L);
        assertThat(PprofSample.by("endpoint", ALLOCATED, samples))
                .isEqualTo(Map.of("", 138L, "GET /carts", 400L, "GET /orders", 2024L));
        assertThat(PprofSample.by("labels", ALLOCATED, samples))
                .isEqualTo(Map.of("", 2532L, "(other)", 30L));
    }

    @Test
    void liveObjectsHaveTheLabelsOfTheirSamples() throws IOException {
        List<PprofSample> samples = shop(options());

        assertThat(PprofSample.by("endpoint", LIVE, samples))
                .isEqualTo(Map.of("", 0L, "GET /carts", 50L, "GET /orders", 300L));
        assertThat(samples)
                .filteredOn(sample -> sample.values().get(LIVE) == 100)
                .singleElement()
                .satisfies(
                        sample ->
                                assertThat(sample.labels())
                                        .containsEntry("thread", "main")
                                        .containsEntry("endpoint", "GET /orders"));
    }

    @Test
    void labelsDoNotChangeTheSums() throws IOException {
        List<Long> sums = List.of(11L, 2562L, 3L, 350L);

        assertThat(PprofSample.sums(shop(options()))).isEqualTo(sums);
        assertThat(PprofSample.sums(shop(options().label("tenant")))).isEqualTo(sums);
        assertThat(PprofSample.sums(shop(options().labels(false)))).isEqualTo(sums);
        assertThat(shop(options().labels(false))).hasSize(2).allMatch(s -> s.labels().isEmpty());
    }

    @Test
    void oneKeyIsTheOnlyLabelAndTheClassIsTheLeaf() throws IOException {
        List<PprofSample> samples = shop(options().label("tenant"));

        // Sets that differ by the endpoint only are one sample.
        assertThat(PprofSample.by("tenant", ALLOCATED, samples))
                .isEqualTo(Map.of("", 100L, "(other)", 30L, "acme", 2424L, "initech", 8L));
        assertThat(samples).hasSize(5);
        assertThat(samples.get(0).stack().get(0)).isEqualTo("byte[]");
        assertThat(samples)
                .allMatch(sample -> sample.numbers().isEmpty())
                .allMatch(sample -> List.of("tenant").containsAll(sample.labels().keySet()));
        assertThat(samples)
                .filteredOn(s -> s.values().equals(List.of(7L, 2400L, 3L, 350L)))
                .hasSize(1);
    }

    @Test
    void valuesAreReplacedOrLeftOut() throws IOException {
        List<PprofSample> samples =
                shop(options().labels((key, value) -> key.equals("tenant") ? "T" : null));

        assertThat(PprofSample.by("tenant", ALLOCATED, samples))
                .isEqualTo(Map.of("", 130L, "T", 2432L));
        assertThat(samples).noneMatch(sample -> sample.labels().containsKey("endpoint"));
        // Equal sets are one: orders, carts and the other tenant; live ones by thread.
        assertThat(samples).filteredOn(sample -> sample.values().get(ALLOCATED) > 0).hasSize(4);
        assertThat(shop(options().labels((key, value) -> "")))
                .noneMatch(sample -> sample.labels().containsKey("tenant"));
    }

    @Test
    void keysThatProfilesUseThemselvesGetAPrefix() throws IOException {
        List<PprofSample> samples = PprofSample.export(LabelledHeaps.clashing(), options());

        Map<String, String> labels = samples.get(0).labels();
        assertThat(labels)
                .containsEntry("class", "byte[]")
                .containsEntry("label_class", "of class")
                .containsEntry("label_label_class", "of label_class")
                .containsEntry("class2", "of class2")
                .containsEntry("label_bytes", "of bytes")
                .containsEntry("label_thread", "of thread")
                .containsEntry("label_age", "of age")
                .containsEntry("label_labels", "of labels")
                .containsEntry("label_pprof::base", "of pprof::base")
                .hasSize(9);
    }

    @Test
    void sitesBeyondTheLimitKeepTheirLabels() throws IOException {
        List<PprofSample> samples = shop(options().maxSites(1));

        assertThat(PprofSample.by("endpoint", ALLOCATED, samples))
                .isEqualTo(Map.of("", 138L, "GET /carts", 400L, "GET /orders", 2024L));
        assertThat(samples).extracting(PprofSample::stack).containsOnly(List.of("(other)"));
    }

    @Test
    void allocationsSinceAnEarlierSnapshotHaveLabels() throws IOException {
        HeapSnapshot later = LabelledHeaps.shop(3);
        List<PprofSample> samples =
                PprofSample.export(later, options().allocatedSince(LabelledHeaps.shop()));

        assertThat(PprofSample.by("endpoint", ALLOCATED, samples))
                .isEqualTo(Map.of("GET /carts", 800L, "GET /orders", 4000L));
        assertThat(PprofSample.by("endpoint", LIVE, samples))
                .isEqualTo(Map.of("GET /carts", 50L, "GET /orders", 300L));
    }

    @Test
    void changesHaveLabels() throws IOException {
        List<PprofSample> samples =
                PprofSample.export(
                        LabelledHeaps.shop(), options().comparedWith(LabelledHeaps.shop(3)));

        assertThat(PprofSample.by("endpoint", ALLOCATED, samples))
                .containsEntry("GET /orders", -4000L)
                .containsEntry("GET /carts", -800L);
    }

    @Test
    void textsOfAFileAreWrittenAsTheyAre() throws IOException {
        List<PprofSample> samples = PprofSample.export(LabelledHeaps.hostile(), options());

        assertThat(samples.get(0).labels())
                .containsEntry(Heaps.HOSTILE, "\0" + Heaps.HOSTILE)
                .containsEntry("=1+1", "@cmd,\"x\"\r\n?");
    }

    @Test
    void aKeyThatNoLabelCanHaveIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options().label(""))
                .withMessageContaining("empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options().label("a\nb"))
                .withMessageContaining("control character");
    }
}
