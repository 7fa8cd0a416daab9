// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.BlockWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collapsed stacks and CSV. */
class TextFormatsTest {

    @Test
    void stacksRunFromTheRootToTheClass() {
        assertThat(Heaps.text(ExportFormat.COLLAPSED, Heaps.small()))
                .isEqualTo(
                        """
                        com.acme.Main.main;com.acme.Cart.add;byte[] 2000
                        (truncated);com.acme.Main.main;a.A$$Lambda.run;java.lang.Object.clone;com.acme.Item[][] 64
                        (no stack);java.lang.String 24
                        """);
    }

    @Test
    void stacksThatDifferInLinesOnlyAreOne() {
        BlockWriter writer = Heaps.writer();
        for (int line = 1; line <= 3; line++) {
            int leaf = writer.frame("com.acme.Cart", "add", line);
            int root = writer.frame("com.acme.Main", "main", 7);
            writer.site(writer.stack(false, leaf, root), "byte[]", 1, 1, 16);
        }
        writer.site(
                writer.stack(false, writer.frame("com.acme.Main", "main", 7)), "int[]", 1, 1, 40);

        assertThat(Heaps.text(ExportFormat.COLLAPSED, Heaps.read(writer)))
                .isEqualTo(
                        """
                        com.acme.Main.main;com.acme.Cart.add;byte[] 48
                        com.acme.Main.main;int[] 40
                        """);
    }

    @ParameterizedTest
    @CsvSource({
        "ALLOCATED_BYTES, 2000",
        "ALLOCATED_OBJECTS, 10",
        "LIVE_BYTES, 400",
        "LIVE_OBJECTS, 2"
    })
    void eachFigureHasItsStacks(HeapMetric metric, long value) {
        ExportOptions options = ExportOptions.builder().metric(metric).build();

        assertThat(Heaps.text(ExportFormat.COLLAPSED, Heaps.small(), options))
                .startsWith("com.acme.Main.main;com.acme.Cart.add;byte[] " + value + "\n")
                .hasLineCount(metric.name().startsWith("LIVE") ? 1 : 3);
    }

    @Test
    void oddNamesStayWithinTheirFrameAndLine() {
        String name = "=a_b\"</script><script>___[31m_";

        assertThat(Heaps.text(ExportFormat.COLLAPSED, Heaps.hostile()))
                .isEqualTo(name + "." + name + ";" + name + " 16\n");
    }

    @Test
    void tableHasARowPerSite() {
        assertThat(Heaps.text(ExportFormat.CSV, Heaps.small()).split("\r\n"))
                .containsExactly(
                        "class,allocated_bytes,allocated_bytes_error,allocated_objects,allocated_objects_error,"
                            + "live_bytes,live_bytes_error,live_objects,live_objects_error,"
                            + "unconfirmed_bytes,unconfirmed_bytes_error,unconfirmed_objects,"
                            + "unconfirmed_objects_error,allocated_samples,live_samples,stack",
                        "\"byte[]\",2000,9,10,2,400,0,2,0,16,0,1,0,10,2,\"com.acme.Cart.add(Cart.java:42)"
                            + " < com.acme.Main.main(Source.java:7)\"",
                        "\"com.acme.Item[][]\",64,10,2,1,0,0,0,0,0,0,0,0,2,0,\"java.lang.Object.clone(Native"
                            + " Method) < a.A$$Lambda.run(Unknown Source) <"
                            + " com.acme.Main.main(Source.java:7) < (truncated)\"",
                        "\"java.lang.String\",24,10,1,1,0,0,0,0,0,0,0,0,1,0,\"(no stack)\"");
    }

    @Test
    void oddNamesStayWithinTheirCellAndAreNoFormulas() {
        String csv = Heaps.text(ExportFormat.CSV, Heaps.hostile());

        assertThat(csv.substring(csv.indexOf("\r\n") + 2))
                .startsWith("\"'" + Heaps.HOSTILE.replace("\"", "\"\"") + "\",16,");
    }
}
