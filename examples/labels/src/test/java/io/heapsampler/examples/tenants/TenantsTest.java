// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example names the tenant that leaks, and no other. */
class TenantsTest {

    @Test
    void tenLinesNameTheTenantThatLeaks() throws InterruptedException {
        List<String> lines = output();

        assertThat(lines).hasSizeLessThanOrEqualTo(10);
        assertThat(lines.get(1) + lines.get(2)).contains("acme", "globex");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("The objects of"))
                .singleElement() // acme keeps nothing new, so there is no false alarm to allow for
                .asString()
                .startsWith("The objects of globex grow most by byte[], ");
        assertThat(lines).anyMatch(line -> line.contains("ReportService.report("));
    }

    private static List<String> output() throws InterruptedException {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            Tenants.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
