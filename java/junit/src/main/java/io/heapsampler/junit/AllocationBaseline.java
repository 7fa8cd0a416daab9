// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that allocates no more than a checked-in file says.
 *
 * <pre>{@code
 * @Test
 * @AllocationBaseline(tolerance = "5 %")
 * void rendersThePage() {
 *     page.render();
 * }
 * }</pre>
 *
 * <p>{@code -Dheapsampler.junit.update=true} writes the file: an entry per test and feature release
 * of the JDK, with its sites, such as {@code com.acme.PageTest.rendersThePage() @17 = 1,310,784}. A
 * test is compared with the entry of the release it runs on; without one it is a configuration
 * error, which names the releases that have one. Several JVMs may update one file at a time. A test
 * that allocates less passes, and its report entry says so. An update names entries of tests that
 * do not exist any more, and keeps them.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public @interface AllocationBaseline {

    /**
     * {@return the file, relative to the directory in which tests run; empty for {@code
     * <class>.txt} in {@code heapsampler.junit.baseline.directory}, else {@code
     * src/test/heapsampler}}
     */
    String file() default "";

    /**
     * {@return how much more is accepted, a percentage or an amount; empty for {@code
     * heapsampler.junit.tolerance} in {@code junit-platform.properties}, else {@code "10 %"}}
     */
    String tolerance() default "";

    /** {@return the runs before those that are judged, as for {@link MaxAllocation#warmup}} */
    int warmup() default -1;

    /** {@return the runs that are judged, as for {@link MaxAllocation#minOf}} */
    int minOf() default -1;
}
