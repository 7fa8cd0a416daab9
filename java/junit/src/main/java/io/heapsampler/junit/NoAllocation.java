// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import io.heapsampler.assertions.ThreadScope;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that allocates nothing, not a byte. The same as {@link MaxAllocation} of {@code "0 B"},
 * and as exact.
 *
 * <pre>{@code
 * @Test
 * @NoAllocation
 * void readsWithoutGarbage() {
 *     buffer.get(0);
 * }
 * }</pre>
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ResourceLock(providers = ProcessWideLocks.class)
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface NoAllocation {

    /**
     * Whose allocations count.
     *
     * @return {@link ThreadScope#ALL} takes the global lock: nothing runs beside such a test
     */
    ThreadScope threads() default ThreadScope.DEFAULT;

    /**
     * Classes of which objects count; their arrays and subclasses do not.
     *
     * @return none for all
     */
    Class<?>[] types() default {};

    /**
     * Packages of classes of which objects count, with the packages below.
     *
     * @return none for all
     */
    String[] packages() default {};

    /**
     * What does not count: objects of a class, and what a class or method or its callees allocate.
     *
     * @return patterns such as {@code com.acme.Log} or {@code com.acme.Cart.add}; a star stands for
     *     any characters
     */
    String[] exclude() default {};

    /**
     * How often the test is run before runs are judged; see {@link MaxAllocation} for how.
     *
     * @return 0 or more; -1, the default, for {@link AllocationTest#warmup} where the test has that
     *     annotation, else for 0
     */
    int warmup() default -1;

    /**
     * How many runs are judged, of which the smallest counts.
     *
     * @return 1 or more; -1, the default, for {@link AllocationTest#minOf} where the test has that
     *     annotation, else for 1
     */
    int minOf() default -1;
}
