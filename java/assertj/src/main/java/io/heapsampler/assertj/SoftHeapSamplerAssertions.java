// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import java.util.function.Consumer;
import org.assertj.core.api.AbstractSoftAssertions;
import org.assertj.core.api.SoftAssertionsProvider;
import org.assertj.core.api.StandardSoftAssertionsProvider;

/**
 * AssertJ's soft assertions, and those over heap snapshots. Also for JUnit's {@code
 * SoftAssertionsExtension}.
 *
 * <pre>{@code
 * SoftHeapSamplerAssertions.assertSoftly(softly -> {
 *     softly.assertThat(snapshot).hasAllocatedAtMost("10 MB");
 *     softly.assertThat(snapshot).sitesOf(byte[].class).hasLiveAtMost("64 KB");
 * });
 * }</pre>
 */
public class SoftHeapSamplerAssertions extends AbstractSoftAssertions
        implements StandardSoftAssertionsProvider, HeapSamplerSoftAssertionsProvider {

    /** Makes an object that has collected nothing yet. */
    public SoftHeapSamplerAssertions() {}

    /**
     * Runs soft assertions, and reports at the end all that failed.
     *
     * @param softly makes the assertions
     * @throws AssertionError if one or more failed
     */
    public static void assertSoftly(Consumer<SoftHeapSamplerAssertions> softly) {
        SoftAssertionsProvider.assertSoftly(SoftHeapSamplerAssertions.class, softly);
    }
}
