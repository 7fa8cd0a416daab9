// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class StackLookupsTest {

    private static final Path HEADER = Path.of("..", "..", "native", "src", "hs_lookup.h");

    @Test
    void countsAreInTheOrderOfTheHeader() throws IOException {
        List<String> names =
                Pattern.compile("\\bHS_LOOKUP_([A-Z]+),? +/\\*")
                        .matcher(Files.readString(HEADER))
                        .results()
                        .map(result -> result.group(1))
                        .toList();
        assertThat(names)
                .containsExactly(
                        "KNOWN", "COMPOSED", "ASKED", "UNWALKABLE", "VERIFIED", "MISMATCHES");

        StackLookups lookups = new StackLookups(new long[] {1, 2, 3, 4, 5, 6, 7}, null);
        assertThat(lookups.isFast()).isTrue();
        assertThat(lookups.whyNotFast()).isNull();
        assertThat(lookups.known()).isEqualTo(2);
        assertThat(lookups.composed()).isEqualTo(3);
        assertThat(lookups.asked()).isEqualTo(4);
        assertThat(lookups.unwalkable()).isEqualTo(5);
        assertThat(lookups.verified()).isEqualTo(6);
        assertThat(lookups.mismatches()).isEqualTo(7);
        assertThat(lookups)
                .hasToString(
                        "2 known, 3 composed, 4 requested, 5 unwalkable, 6 verified, 7 mismatches");
    }

    @Test
    void saysWhyItIsNotFast() {
        assertThat(new StackLookups(new long[7], null).whyNotFast())
                .isEqualTo("the library is not loaded");
        assertThat(new StackLookups(new long[7], "it rains"))
                .hasToString(
                        "0 known, 0 composed, 0 requested, 0 unwalkable, 0 verified, 0 mismatches"
                                + " (all are requested from the JVM: it rains)");
    }

    @Test
    void theStatusKeepsCountsAndDropsApart() {
        long[] figures = new long[23 + DropCause.values().length];
        Arrays.setAll(figures, i -> 100 + i);
        figures[15] = 2;
        SamplerStatus status = new SamplerStatus(with(figures), LastUsed.NOTHING);

        assertThat(status.maxDepth()).isEqualTo(114);
        assertThat(status.stackLookups().isFast()).isTrue();
        assertThat(status.threadContext())
                .isEqualTo("ignored, because a library shares it in an unknown version");
        assertThat(status.stackLookups().known()).isEqualTo(117);
        assertThat(status.stackLookups().mismatches()).isEqualTo(122);
        assertThat(status.dropped()).containsEntry(DropCause.values()[0], 123L);
        assertThat(new SamplerStatus(InForce.NOTHING, LastUsed.NOTHING).threadContext())
                .isEqualTo("none");
        assertThat(new SamplerStatus(InForce.NOTHING, LastUsed.NOTHING).stackLookups().known())
                .isZero();
    }

    private static InForce with(long[] figures) {
        Limits none = InForce.NOTHING.limits();
        return new InForce(0, 0, false, 0, 0, 0, 0, none, 0, false, 0, 0, List.of(), figures);
    }
}
