// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A test that is run several times for one verdict, in place of {@code @Test}. Each run gets the
 * full lifecycle, as with {@code @RepeatedTest}: a new instance, {@code @BeforeEach},
 * {@code @AfterEach} and all extensions. With {@code Lifecycle.PER_CLASS} all runs share one
 * instance, so let {@code @BeforeEach} make anew what a run uses up.
 *
 * <pre>{@code
 * @AllocationTest(warmup = 200)
 * @NoAllocation
 * void sumsWithoutGarbage() {
 *     for (int price : prices) {
 *         total += price;
 *     }
 * }
 * }</pre>
 *
 * <p>The limits are those of the annotations beside it, on its class or of a {@link
 * HeapSamplerExtension}; without any, the test fails. The first {@code warmup} runs are not judged.
 * Of the next {@code minOf} runs the smallest figure counts, and the first run within the limit is
 * the last one. {@link NoLeaks} takes {@code warmup} and has its own {@link NoLeaks#iterations}.
 * Where limits need different numbers of runs, each observes as many as it needs.
 *
 * <p>Runs follow each other in one thread, in parallel execution as well. The verdict belongs to
 * the last run: that invocation fails, and has the report entry. A run that fails by itself, that
 * is aborted or disabled, is the last one, and there is no verdict. {@code @Timeout} holds for each
 * run, and an {@link io.heapsampler.assertions.AllocationProbe} counts from the start of its run.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({HeapAssertionsExtension.class, AllocationTestExtension.class})
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface AllocationTest {

    /**
     * {@return how often the test is run before runs are judged, 0 or more, for limits that do not
     * set it}
     */
    int warmup() default 3;

    /**
     * {@return how many runs are judged, 1 or more, of which the smallest counts, for limits that
     * do not set it}
     */
    int minOf() default 5;
}
