// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Jdk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds and recordings are ended on a full heap, where nothing can be allocated any more. */
class FullHeapTest {

    @TempDir Path folder;

    static List<Arguments> ends() {
        List<Arguments> all = new ArrayList<>();
        for (Jdk jdk : Jdk.due()) {
            for (String end : List.of("close", "stop", "application")) {
                all.add(Arguments.of(jdk, end));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("ends")
    void theEngineEndsThoughTheHeapIsFull(Jdk jdk, String end) {
        Outcome outcome =
                new ForkedJvm(jdk, folder)
                        .flags("-Xmx24m")
                        .main(FullHeap.class.getName(), end)
                        .assertExit(0);
        assertThat(outcome.value("failure")).isEqualTo("null");
        assertThat(outcome.value("holders")).isEqualTo("[]");
        assertThat(outcome.value("open")).isEqualTo("false,false");
        assertThat(outcome.value("sampling")).isEqualTo("false");
        assertThat(outcome.value("recordings")).isEqualTo(end.equals("close") ? "0" : "1");
    }
}
