// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HolderRoot;
import io.heapsampler.internal.shared.LoadersText.Holding;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which holders of a loader that each run replaces make it no leak. */
class LoaderVerdictTest {

    private static boolean isExcused(HolderRoot root, String... classes) {
        return LoaderVerdict.isExcused(new Holding(null, root, false, List.of(classes)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.WeakHashMap$Entry",
                "com.google.common.collect.MapMakerInternalMap$WeakKeyStrongValueEntry",
                "com.acme.SoftCache",
                "com.acme.WeaklyKeyed$Entry",
                "com.acme.CacheOfWeak",
                "org.junit.jupiter.engine.Context"
            })
    void oneThatAnEntryOfAWeakMapOrJUnitHoldsGoes(String className) {
        assertThat(isExcused(HolderRoot.STATIC_FIELD, "com.acme.Registry", className)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.acme.SoftwareCatalog",
                "com.acme.Weakness",
                "com.acme.Microsoft",
                "com.acme.Weak.Registry",
                "java.lang.ThreadLocal$ThreadLocalMap$Entry"
            })
    void oneThatOtherClassesHoldStays(String className) {
        assertThat(isExcused(HolderRoot.STATIC_FIELD, className)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void onlyARunningMethodOrAFinalizerIsARootThatGoes(HolderRoot root) {
        boolean goes =
                switch (root) {
                    case LOCAL, JNI_LOCAL, MONITOR, FINALIZER_QUEUE -> true;
                    default -> false;
                };
        assertThat(isExcused(root, "com.acme.Registry")).isEqualTo(goes);
    }

    @Test
    void oneThatSoftReferencesHoldGoes() {
        Holding soft = new Holding(null, HolderRoot.STATIC_FIELD, true, List.of("com.acme.Cache"));
        assertThat(LoaderVerdict.isExcused(soft)).isTrue();
    }
}
