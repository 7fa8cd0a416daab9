// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When two allocations are of the same place. */
class LeakSiteTest {

    private static final StackTraceElement OWN = frame("com.acme.Cart", "add", 7);

    private static StackTraceElement frame(String className, String method, int line) {
        return new StackTraceElement(className, method, "File.java", line);
    }

    private static Leak.Site node(StackTraceElement... stack) {
        return new Leak.Site("java.util.HashMap$Node", List.of(stack), OwnCode.DEFAULT, true);
    }

    @Test
    void linesAndMethodsOfALibraryDoNotCount() {
        Leak.Site empty = node(frame("java.util.HashMap", "putVal", 629), OWN);

        assertThat(node(frame("java.util.HashMap", "putVal", 640), OWN))
                .isEqualTo(empty)
                .hasSameHashCodeAs(empty);
        assertThat(node(frame("java.util.HashMap", "resize", 700), OWN)).isEqualTo(empty);
    }

    @Test
    void linesOfOwnCodeCount() {
        assertThat(node(OWN)).isNotEqualTo(node(frame("com.acme.Cart", "add", 8)));
    }

    @Test
    void classesCount() {
        Leak.Site other = new Leak.Site("byte[]", List.of(OWN), OwnCode.DEFAULT, true);

        assertThat(node(OWN)).isNotEqualTo(other);
        assertThat(other).hasToString("byte[] at com.acme.Cart.add:7");
    }

    @Test
    void withoutOwnCodeMethodsCount() {
        StackTraceElement thread = frame("java.lang.Thread", "run", 1);
        Leak.Site site = node(frame("java.util.HashMap", "putVal", 629), thread);

        assertThat(node(frame("java.util.HashMap", "putVal", 640), thread)).isEqualTo(site);
        assertThat(node(frame("java.util.HashMap", "resize", 700), thread)).isNotEqualTo(site);
    }
}
