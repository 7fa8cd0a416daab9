// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

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
 * A test that is run several times before it is judged, in place of {@code @Test}. Each run is an
 * invocation of its own: a new instance, {@code @BeforeEach}, {@code @AfterEach} and all other
 * extensions, as with {@code @RepeatedTest}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith(HeapAssertionsExtension.class)
public @interface AllocationTest {

    /**
     * How often the test is run before runs are judged.
     *
     * @return 0 or more
     */
    int warmup() default 3;

    /**
     * How many runs are judged, of which the smallest counts.
     *
     * @return 1 or more
     */
    int minOf() default 5;
}
