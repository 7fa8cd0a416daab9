// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.heapsampler.internal.BlockWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The file of a filtered snapshot names nothing that belongs to other samples alone. */
class FilteredFileTest {

    private final BlockWriter writer = new BlockWriter();

    /** Adds samples of a tenant whose code and threads carry its name. */
    private void addTenant(String name, int thread, int bytes) {
        int frame =
                writer.frame(
                        name + ".Code", name + ".Code/0x1", name + "Method", name + ".java", 1, 0);
        double[] lifetimes = new double[48];
        Arrays.fill(lifetimes, bytes);
        int site =
                writer.site(
                        writer.stack(false, frame, writer.frame("com.acme.Main", "main", 2)),
                        writer.name(name + ".Order"),
                        1,
                        1,
                        0,
                        bytes,
                        0,
                        bytes,
                        writer.lifetimes(2, lifetimes));
        writer.labelSite(site, writer.labels(Map.of("tenant", name, name + "-key", "1")));
        writer.living(site, thread, bytes, 1_000, 0, 0, 1, 1);
        writer.dead(site, thread, bytes, 1_000, 1, 2_000, 3_000);
    }

    private HeapSnapshot snapshot() {
        addTenant("umbrella", writer.thread(6, "umbrella-worker"), 100);
        addTenant("globex", writer.thread(7, "globex-worker"), 200);
        addTenant("initech", writer.thread(8, "initech-worker"), 300);
        return HeapSnapshot.decode(writer.write());
    }

    private static byte[] file(HeapSnapshot snapshot) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        snapshot.writeTo(out);
        return out.toByteArray();
    }

    private static String text(byte[] file) {
        return new String(file, StandardCharsets.ISO_8859_1);
    }

    @Test
    void hasNoNamesOfOthers() throws IOException {
        HeapSnapshot all = snapshot();
        HeapSnapshot globex = all.filter(SampleFilter.label("tenant", "globex"));

        assertThat(text(file(all))).contains("umbrella", "globex", "initech");
        assertThat(text(file(globex)))
                .contains("globex.Order", "globexMethod", "globex-key", "globex-worker")
                .contains("com.acme.Main")
                .doesNotContain("umbrella", "initech");
        HeapSnapshot none = all.filter(SampleFilter.otherLabels());
        assertThat(text(file(none))).doesNotContain("umbrella", "globex", "initech", "acme");
    }

    @Test
    void hasTheFiguresOfTheSamplesThatMatch() throws IOException {
        HeapSnapshot globex = snapshot().filter(SampleFilter.label("tenant", "globex"));
        HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(file(globex)));

        assertThat(read.labels())
                .extracting(LabelTotals::labels)
                .containsExactly(Map.of("tenant", "globex", "globex-key", "1"));
        assertThat(read.sites()).hasSize(1);
        HeapSite site = read.sites().get(0);
        assertThat(site.className()).isEqualTo("globex.Order");
        assertThat(site.stack())
                .extracting(HeapFrame::className, HeapFrame::methodName)
                .containsExactly(
                        tuple("globex.Code", "globexMethod"), tuple("com.acme.Main", "main"));
        assertThat(site.allocated().bytes().value()).isEqualTo(200);
        assertThat(site.live().bytes().value()).isEqualTo(200);
        assertThat(site.lifetimes().samples()).isEqualTo(2);
        assertThat(site.lifetimes().byTime().total()).isEqualTo(32 * 200);
        assertThat(read.samples())
                .extracting(HeapSample::threadName, HeapSample::threadId)
                .containsOnly(tuple("globex-worker", OptionalLong.of(7)));
    }
}
