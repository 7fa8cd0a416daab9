// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProfileTest {

    private static final String SCRIPT =
            """
            worker-0\s
            \t    7f01 hs_walk.lto_priv.0 (/a b/libheapsampler-0.1.0.so)
            \t    7f02 hs_walk (/a b/libheapsampler-0.1.0.so)
            \t    7f03 on_sample (/a b/libheapsampler-0.1.0.so)
            \t    7f04 [unknown] (/usr/lib/libjvm.so)

            worker-0\s
            \t    7f05 JVM_Clone(int, char) (/usr/lib/libjvm.so)
            \t    7f03 on_sample (/a b/libheapsampler-0.1.0.so)

            C2 CompilerThre\s
            \t    7f05 [unknown] (/usr/lib/libjvm.so)

            worker-1\s
            \t    7f06 [unknown] (/tmp/perf-12.map)

            worker-1\s
            \tffff07 clear_page ([kernel.kallsyms])
            \t    7f08 __memset (/usr/lib/libc.so.6)
            """;

    private static Profile read(String script) throws IOException {
        return Profile.read(new BufferedReader(new StringReader(script)), "worker-");
    }

    @Test
    void countsByTheLibraryOfTheLeaf() throws IOException {
        Profile profile = read(SCRIPT);
        assertThat(profile.samples()).isEqualTo(4);
        assertThat(profile.libraries())
                .isEqualTo(Map.of("heapsampler", 1, "jvm", 1, "java", 1, "kernel", 1));
    }

    @Test
    void knowsWhatLiesBelowTheCallback() throws IOException {
        Profile profile = read(SCRIPT);
        assertThat(profile.below()).isEqualTo(2);
        assertThat(profile.librariesBelow()).isEqualTo(Map.of("heapsampler", 1, "jvm", 1));
    }

    @Test
    void aFunctionCountsOnceAndUnderItsOwnName() throws IOException {
        Profile profile = read(SCRIPT);
        assertThat(profile.functions()).isEqualTo(Map.of("hs_walk", 1));
        assertThat(profile.withCallees()).isEqualTo(Map.of("hs_walk", 1, "on_sample", 2));
    }

    @Test
    void aLineThatIsNoFrameIsOfNoLibrary() throws IOException {
        Profile profile = read("worker-0 \n\t 7f01\n\n");
        assertThat(profile.libraries()).isEqualTo(Map.of("other", 1));
    }

    @Test
    void aShareHasTheErrorOfACount() {
        Statistics.Mean share = Statistics.share(200, 1_000);
        assertThat(share.value()).isEqualTo(0.2);
        assertThat(share.halfWidth()).isCloseTo(0.0248, within(0.0001));
    }
}
