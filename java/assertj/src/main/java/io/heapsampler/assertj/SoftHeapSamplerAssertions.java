// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ApiStatus;
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
 *     softly.assertThat(snapshot).allocatesAtMost("10 MB");
 *     softly.assertThat(snapshot).sitesOf(byte[].class).leavesBehindAtMost("64 KB");
 * });
 * }</pre>
 *
 * <p>AssertJ 3.27 generates soft assertions in the module of the assertion, which may not see one
 * of its packages. On the module path, start the JVM with {@code --add-exports
 * org.assertj.core/org.assertj.core.api.recursive.assertion=io.heapsampler.assertj} and {@code
 * --add-modules net.bytebuddy}. On the class path nothing is needed.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
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
