// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import io.heapsampler.assertions.ThreadScope;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that leaves no more than this alive, after a forced collection.
 *
 * <pre>{@code
 * @Test
 * @MaxRetained("1 KB")
 * void closesItsSession() {
 *     server.open().close();
 * }
 * }</pre>
 *
 * <p>Objects count that the body of the test allocates and that are still reachable when it has
 * returned. Fields of the test's instance also keep objects alive. An object that takes the place
 * of an older one counts in full, because the older one was allocated before the body: {@link
 * NoLeaks} compares with the objects that were alive before. The first run is judged, unless you
 * request more as with {@link MaxAllocation}: a cache that fills once needs {@code warmup = 1}.
 * Under Epsilon, which collects nothing, the test is aborted.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ResourceLock(providers = ProcessWideLocks.class)
@Repeatable(MaxRetained.Several.class)
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface MaxRetained {

    /**
     * The limit.
     *
     * @return an amount, such as {@code "64 KB"}
     */
    String value();

    /**
     * Whose allocations count.
     *
     * @return {@link ThreadScope#TEST} by default; {@link ThreadScope#ALL} takes the global lock:
     *     nothing runs beside such a test; {@link ThreadScope#INHERITED} is for limits of allocated
     *     bytes only
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

    /**
     * The interval between two samples where there are any.
     *
     * @return an amount; {@code "0 B"} for every allocation; empty to choose it from the limit
     */
    String interval() default "";

    /** Several limits for one test. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @ExtendWith(HeapAssertionsExtension.class)
    @ResourceLock(providers = ProcessWideLocks.class)
    @interface Several {

        /**
         * The limits.
         *
         * @return two or more
         */
        MaxRetained[] value();
    }
}
