// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapLabels;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FittingLabelsTest {

    private static Map<String, String> of(String key, String value) {
        HeapLabels labels = FittingLabels.and(null, key, value);
        return labels == null ? Map.of() : labels.asMap();
    }

    @Test
    void labelsThatFitStayAsTheyAre() {
        assertThat(of("tenant", "acme")).isEqualTo(Map.of("tenant", "acme"));
        HeapLabels tenant = HeapLabels.of("tenant", "acme");
        assertThat(FittingLabels.and(tenant, "tenant", "globex"))
                .isSameAs(HeapLabels.of("tenant", "globex"));
        assertThat(FittingLabels.and(tenant, "endpoint", "/"))
                .isSameAs(tenant.and("endpoint", "/"));
    }

    @Test
    void longTextsAreCut() {
        assertThat(of("k".repeat(65), "v".repeat(257)))
                .isEqualTo(Map.of("k".repeat(64), "v".repeat(256)));
        assertThat(of("k", "v".repeat(255) + "\uD83D\uDE00"))
                .isEqualTo(Map.of("k", "v".repeat(255)));
        assertThat(of("k", "\uD83D\uDE00".repeat(128)))
                .isEqualTo(Map.of("k", "\uD83D\uDE00".repeat(128)));
    }

    @Test
    void controlCharactersAndEmptyValuesAreReplaced() {
        assertThat(of("a\tb", "one\ntwo\u0000")).isEqualTo(Map.of("a b", "one two "));
        assertThat(of("k", "")).isEqualTo(Map.of("k", "(empty)"));
    }

    @Test
    void labelsThatCannotBeMadeAreLeftOut() {
        HeapLabels tenant = HeapLabels.of("tenant", "acme");
        assertThat(FittingLabels.and(tenant, "", "value")).isSameAs(tenant);
        assertThat(FittingLabels.and(tenant, null, "value")).isSameAs(tenant);
        assertThat(FittingLabels.and(tenant, "key", null)).isSameAs(tenant);
        assertThat(FittingLabels.and(null, "key", null)).isNull();
    }

    @Test
    void theSeventeenthLabelIsLeftOut() {
        HeapLabels labels = HeapLabels.of("k0", "v");
        for (int i = 1; i < 16; i++) {
            labels = labels.and("k" + i, "v");
        }
        assertThat(FittingLabels.and(labels, "one more", "v")).isSameAs(labels);
        assertThat(FittingLabels.and(labels, "k3", "w")).isSameAs(labels.and("k3", "w"));
    }
}
