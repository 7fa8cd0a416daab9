// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Collapsing stacks as the documentation of the flame sampler describes it. */
class CollapseTest {

    private static final String STACKS =
            """
            # a comment
            a.Main.main;b.Codec.parse;b.Codec.parse;b.Codec.read;byte[] 100
            a.Main.main;b.Codec.parse;b.Codec.read;byte[] 20
            a.Main.main;c.Other.run;b/Codec$Table 3
            a.Main.main;c.Other.run;byte[] 4000
            a.Main.go;b.Codec.parse;c.Other.x;b.Codec.parse;byte[] 5
            """;

    private static Collapse collapsed(
            String text, @Nullable String filter, boolean keepsOthers, boolean isSquashing)
            throws IOException {
        Collapse collapse = new Collapse(filter, keepsOthers, isSquashing, Collapse.SURVIVED);
        collapse.read(new BufferedReader(new StringReader(text)));
        return collapse;
    }

    @Test
    void equalStacksAreAddedUpAndDirectRecursionIsOneFrame() throws IOException {
        Collapse collapse = collapsed(STACKS, null, false, true);

        assertThat(collapse.stacks().toString())
                .isEqualTo(
                        "{a.Main.go;b.Codec.parse;c.Other.x;b.Codec.parse;byte[]=5,"
                                + " a.Main.main;b.Codec.parse;b.Codec.read;byte[]=120,"
                                + " a.Main.main;c.Other.run;b/Codec$Table=3,"
                                + " a.Main.main;c.Other.run;byte[]=4000}");
        assertThat(collapse.summary())
                .containsExactly("Finished FlameCollapse! Collapsed 6 rows into 4", "Kept 4128.");
    }

    @Test
    void squashingIsOptional() throws IOException {
        assertThat(collapsed(STACKS, null, false, false).stacks())
                .containsEntry("a.Main.main;b.Codec.parse;b.Codec.parse;b.Codec.read;byte[]", 100L)
                .hasSize(5);
    }

    @Test
    void theFilterDropsFramesBeforeItsMatchAndStacksWithoutOne() throws IOException {
        Collapse collapse = collapsed(STACKS, "CODEC", false, true);

        assertThat(collapse.stacks().toString())
                .isEqualTo(
                        "{b.Codec.parse;b.Codec.read;byte[]=120,"
                                + " b.Codec.parse;c.Other.x;b.Codec.parse;byte[]=5,"
                                + " b/Codec$Table=3}");
        assertThat(collapse.summary())
                .containsExactly(
                        "Finished FlameCollapse! Collapsed 6 rows into 3",
                        "Kept 128, dropped 4000 in 1 rows without \"codec\".");
    }

    @Test
    void othersCanBeKept() throws IOException {
        assertThat(collapsed(STACKS, "codec", true, true).stacks())
                .containsEntry("a.Main.main;c.Other.run;byte[]", 4000L)
                .containsEntry("b.Codec.parse;b.Codec.read;byte[]", 120L)
                .hasSize(4);
    }

    @Test
    void collapsedStacksOfOthersAreRead() throws IOException {
        String text =
                """
                a.Main.main;b.Codec.parse;byte[]; 7
                java/lang/Thread.run_[j];a b c 8
                """;

        assertThat(collapsed(text, null, false, true).stacks().toString())
                .isEqualTo(
                        "{a.Main.main;b.Codec.parse;byte[]=7, java/lang/Thread.run_[j];a b c=8}");
    }

    /**
     * What the flame sampler of 2016 wrote: a line per sample, of arrays the name of the element,
     * and the sampled bytes alone.
     */
    @Test
    void filesOfTheFlameSamplerAreRead() throws IOException {
        Collapse collapse = collapsed(resource("stacks-2016.txt"), null, false, true);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        collapse.write(out);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(resource("collapsed-2016.txt"));
        assertThat(collapse.incomplete()).isEmpty();
        assertThat(collapse.summary())
                .containsExactly("Finished FlameCollapse! Collapsed 8 rows into 5", "Kept 6720.");
    }

    /** Its other verbosities, and {@code record.size=false}: each sample counts one. */
    @Test
    void soAreMethodsAloneLinesAndCounts() throws IOException {
        String text =
                """
                main;page;byte 1
                main;page;byte 1
                com.acme.Shop.main:12;com.acme.Shop.page:40;byte 1
                com.acme.Shop.main:12;com.acme.Shop.page:41;byte 1
                """;

        assertThat(collapsed(text, null, false, true).stacks().toString())
                .isEqualTo(
                        "{com.acme.Shop.main:12;com.acme.Shop.page:40;byte=1,"
                                + " com.acme.Shop.main:12;com.acme.Shop.page:41;byte=1,"
                                + " main;page;byte=2}");
    }

    /** Its collapsed files end each stack with a semicolon; its lifetimes have two columns. */
    @Test
    void soAreItsCollapsedFilesAndItsLifetimes() throws IOException {
        String again = resource("collapsed-2016.txt").replace(" ", "; ");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        collapsed(again, null, false, true).write(out);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(resource("collapsed-2016.txt"));

        Collapse lifetimes = collapsed(resource("lifetime-2016.txt"), null, false, true);
        assertThat(lifetimes.incomplete()).isEmpty();
        assertThat(lifetimes.stacks().toString())
                .isEqualTo(
                        "{com.acme.Shop.main;com.acme.Shop.open;com/acme/Session=48,"
                                + " com.acme.Shop.main;com.acme.Shop.page;byte=1040}");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = CollapseTest.class.getResourceAsStream(name)) {
            return new String(
                    Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void ofLifetimesOneStateCounts() throws IOException {
        String text =
                """
                #GC epoch=1 collections=1 causes=unknown time=2026-11-22T10:15:00Z
                a.Main.main;byte[] 10 1 80 survived
                a.Main.main;byte[] 20 1 90 survived
                a.Main.main;byte[] 10 2 130 died
                """;
        assertThat(collapsed(text, null, false, true).stacks())
                .containsOnlyKeys("a.Main.main;byte[]");
        assertThat(collapsed(text, null, false, true).stacks()).containsValue(30L);

        Collapse died = new Collapse(null, false, true, "died");
        died.read(new BufferedReader(new StringReader(text)));
        assertThat(died.stacks()).containsValue(10L);
    }

    @Test
    void linesWithoutStackOrNumberAreReported() throws IOException {
        Collapse collapse =
                collapsed("a;b 1\na;b\n 5\na;b x\na;b 99999999999999999999\n\n", null, false, true);

        assertThat(collapse.stacks()).hasSize(1);
        assertThat(collapse.incomplete())
                .containsExactly(
                        "Incomplete line (2): a;b",
                        "Incomplete line (3):  5",
                        "Incomplete line (4): a;b x",
                        "Incomplete line (5): a;b 99999999999999999999");
    }
}
